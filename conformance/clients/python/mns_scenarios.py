"""Runs the scenarios that all SDKs of MNS share with the one for Python, against SLUICE_URL."""

import base64
import concurrent.futures
import http.server
import json
import os
import pathlib
import queue
import re
import sys
import threading
import urllib.request

from Crypto.Hash import SHA1
from Crypto.PublicKey import RSA
from Crypto.Signature import pkcs1_15
from mns.account import Account, AccountMeta
from mns.message_property import MessagePropertyValue, MessageSystemPropertyValue
from mns.mns_exception import MNSServerException
from mns.queue import Message, QueueMeta
from mns.subscription import SubscriptionMeta
from mns.topic import TopicMessage, TopicMeta

import scenarios
from scenarios import Failure

LIST = pathlib.Path(__file__).parents[1] / "scenarios" / "mns.json"

# What this SDK cannot send, and why.
LEFT_OUT = {}

# What the SDK calls the attributes that can be set, and the members of a message.
QUEUE = {
    "VisibilityTimeout": "vis_timeout",
    "MaximumMessageSize": "max_msg_size",
    "MessageRetentionPeriod": "msg_ttl",
    "DelaySeconds": "delay_sec",
    "PollingWaitSeconds": "polling_wait_sec",
    "LoggingEnabled": "logging_enabled",
}


def snake(name):
    """message_body_md5 for MessageBodyMD5."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def shown(made, *names):
    """The attributes of an object of the SDK as texts, without those that it has not been given."""
    values = {name: getattr(made, snake(name)) for name in names}
    return {name: str(value) for name, value in values.items() if value not in ("", None, -1)}


def named(urls, marker, kind):
    answer = {kind: [url.rsplit("/", 1)[1] for url in urls]}
    return {**answer, "NextMarker": marker} if marker else answer


class Receiver:
    """An HTTP server that topics push to."""

    def __init__(self, statuses):
        self.pushes = queue.Queue()
        statuses, pushes = list(statuses), self.pushes

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                pushes.put((self.command, self.path, self.headers, body))
                self.send_response(int(statuses.pop(0)) if statuses else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.endpoint = "http://127.0.0.1:%d" % self.server.server_port

    def next(self):
        method, resource, headers, body = self.pushes.get(timeout=15)
        return {
            "Method": method,
            "Resource": resource,
            "Body": body,
            "ContentType": headers["Content-Type"],
            "MessageId": headers["x-mns-message-id"],
            "MessageTag": headers["x-mns-message-tag"],
            "TopicName": headers["x-mns-topic-name"],
            "SubscriptionName": headers["x-mns-subscription-name"],
            "Signature": verified(method, resource, headers),
        }

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def verified(method, resource, headers):
    """Whether a push is signed as the provider's reference says. The SDK has no code for it."""
    own = sorted("%s:%s\n" % (k.lower(), v) for k, v in headers.items() if k.lower().startswith("x-mns-"))
    lines = [method, headers["Content-MD5"] or "", headers["Content-Type"] or "", headers["Date"], "".join(own) + resource]
    with urllib.request.urlopen(base64.b64decode(headers["x-mns-signing-cert-url"]).decode()) as answer:
        key = RSA.import_key(answer.read())
    try:
        pkcs1_15.new(key).verify(SHA1.new("\n".join(lines).encode()), base64.b64decode(headers["Authorization"]))
    except ValueError as wrong:
        return str(wrong)
    return "good"


class Operations:
    """The operations of the API by name, in terms of the SDK. Answers are texts under the names of elements."""

    def __init__(self, key):
        self.account = Account(os.environ["SLUICE_URL"], key["id"], key["secret"], key.get("token", ""))

    def queue(self, w):
        made = self.account.get_queue(w["Queue"])
        made.set_encoding(False)  # the SDK would send base64, which the other SDKs do not expect
        return made

    def topic(self, w):
        return self.account.get_topic(w["Topic"])

    def subscription(self, w):
        return self.topic(w).get_subscription(w["Subscription"])

    def queue_meta(self, w):
        numbers = {QUEUE[k]: v if k == "LoggingEnabled" else int(v) for k, v in w.items() if k in QUEUE}
        return QueueMeta(**numbers)

    def message(self, w):
        made = Message(w["MessageBody"], *(int(w[k]) if k in w else None for k in ("DelaySeconds", "Priority")))
        made.set_message_group_id(w.get("MessageGroupId", ""))
        return self.with_properties(made, w)

    def with_properties(self, made, w):
        for name, value in w.get("UserProperties", {}).items():
            content = base64.b64decode(value["Value"]) if value["Type"] == "BINARY" else value["Value"]
            made.add_user_property(name, MessagePropertyValue(value["Type"], content))
        for name, value in w.get("SystemProperties", {}).items():
            made.add_system_property(name, MessageSystemPropertyValue("STRING", value))
        return made

    def sent(self, message):
        return shown(message, "MessageId", "MessageBodyMD5", "ReceiptHandle")

    def received(self, m):
        answer = shown(m, "MessageId", "MessageBody", "MessageBodyMD5", "ReceiptHandle", "EnqueueTime", "FirstDequeueTime")
        answer.update(shown(m, "NextVisibleTime", "DequeueCount", "Priority", "MessageGroupId"))
        properties = {}
        for name, value in m.get_user_properties().items():
            raw = value.get_raw_value()
            raw = base64.b64encode(raw).decode() if value.get_data_type() == "BINARY" else raw
            properties[name] = {"Type": value.get_data_type(), "Value": raw}
        answer["UserProperties"] = properties
        answer["SystemProperties"] = {k: v.get_string_value_by_type() for k, v in m.get_system_properties().items()}
        return answer

    def wait(self, w):
        return int(w.get("WaitSeconds", -1))

    def CreateQueue(self, w):
        return {"Location": self.queue(w).create(self.queue_meta(w))}

    def SetQueueAttributes(self, w):
        self.queue(w).set_attributes(self.queue_meta(w))

    def GetQueueAttributes(self, w):
        got = self.queue(w).get_attributes()
        counts = ("ActiveMessages", "InactiveMessages", "DelayMessages")
        return shown(got, *QUEUE, *counts, "QueueName", "CreateTime", "LastModifyTime")

    def DeleteQueue(self, w):
        self.queue(w).delete()

    def ListQueue(self, w):
        return named(*self.account.list_queue(w["Prefix"], int(w["Number"]), w.get("Marker", "")), "Queues")

    def SendMessage(self, w):
        return self.sent(self.queue(w).send_message(self.message(w)))

    def BatchSendMessage(self, w):
        sent = self.queue(w).batch_send_message([self.message(m) for m in w["Messages"]])
        return {"Messages": [self.sent(m) for m in sent]}

    def ReceiveMessage(self, w):
        return self.received(self.queue(w).receive_message(self.wait(w)))

    def BatchReceiveMessage(self, w):
        got = self.queue(w).batch_receive_message(int(w["NumOfMessages"]), self.wait(w))
        return {"Messages": [self.received(m) for m in got]}

    def PeekMessage(self, w):
        return self.received(self.queue(w).peek_message())

    def BatchPeekMessage(self, w):
        return {"Messages": [self.received(m) for m in self.queue(w).batch_peek_message(int(w["NumOfMessages"]))]}

    def DeleteMessage(self, w):
        self.queue(w).delete_message(w["ReceiptHandle"])

    def BatchDeleteMessage(self, w):
        try:
            self.queue(w).batch_delete_message(w["ReceiptHandles"])
        except MNSServerException as failed:
            if not failed.sub_errors:
                raise
            return {"Errors": failed.sub_errors}

    def ChangeMessageVisibility(self, w):
        changed = self.queue(w).change_message_visibility(w["ReceiptHandle"], int(w["VisibilityTimeout"]))
        return shown(changed, "ReceiptHandle", "NextVisibleTime")

    def CreateTopic(self, w):
        return {"Location": self.topic(w).create(TopicMeta(int(w.get("MaximumMessageSize", -1))))}

    def SetTopicAttributes(self, w):
        self.topic(w).set_attributes(TopicMeta(int(w["MaximumMessageSize"])))

    def GetTopicAttributes(self, w):
        got = self.topic(w).get_attributes()
        names = ("TopicName", "MaximumMessageSize", "MessageRetentionPeriod", "MessageCount", "LoggingEnabled", "CreateTime")
        return shown(got, *names)

    def DeleteTopic(self, w):
        self.topic(w).delete()

    def ListTopic(self, w):
        return named(*self.account.list_topic(w["Prefix"], int(w["Number"])), "Topics")

    def PublishMessage(self, w):
        made = self.with_properties(TopicMessage(w["MessageBody"], w.get("MessageTag", "")), w)
        return shown(self.topic(w).publish_message(made), "MessageId", "MessageBodyMD5")

    def Subscribe(self, w):
        names = ("Endpoint", "NotifyStrategy", "NotifyContentFormat", "FilterTag")
        return {"Location": self.subscription(w).subscribe(SubscriptionMeta(*(w.get(name, "") for name in names)))}

    def SetSubscriptionAttributes(self, w):
        self.subscription(w).set_attributes(SubscriptionMeta("", w["NotifyStrategy"]))

    def GetSubscriptionAttributes(self, w):
        got = self.subscription(w).get_attributes()
        names = ("TopicOwner", "TopicName", "SubscriptionName", "Endpoint", "FilterTag", "NotifyStrategy")
        return shown(got, *names, "NotifyContentFormat", "CreateTime", "LastModifyTime")

    def Unsubscribe(self, w):
        self.subscription(w).unsubscribe()

    def ListSubscriptionByTopic(self, w):
        return named(*self.topic(w).list_subscription(), "Subscriptions")

    def SetAccountAttributes(self, w):
        self.account.set_attributes(AccountMeta(w["LoggingBucket"]))

    def GetAccountAttributes(self, w):
        return shown(self.account.get_attributes(), "LoggingBucket")

    def OpenService(self, w):
        return {"OrderId": self.account.open_service().oder_id}  # the SDK's spelling


class Player(scenarios.Player):
    """One run of a scenario."""

    def __init__(self, keys):
        super().__init__(None)
        self.keys, self.opened, self.receiver = keys, {}, None

    def operations(self, key):
        if key not in self.opened:
            self.opened[key] = Operations(self.keys[key])
        return self.opened[key]

    def call(self, step):
        w = self.fill(step.get("with", {}))
        if step["call"] == "Listen":
            self.receiver = Receiver(w.get("Statuses", ()))
            return {"Endpoint": self.receiver.endpoint}
        if step["call"] == "NextPush":
            return self.receiver.next()
        return getattr(self.operations(step.get("as", "permanent")), step["call"])(w) or {}

    def step(self, step):
        try:
            answer = self.call(step)
        except MNSServerException as failed:
            if "fails" not in step:
                raise
            got = {"code": failed.type, "message": failed.message}
            if got != self.fill(step["fails"]):
                raise Failure("failed with %.500r, want %.500r" % (got, step["fails"]))
            return
        if "fails" in step:
            raise Failure("succeeded with %.500r, want it to fail" % answer)
        self.check_answer(step, answer)
        for path, pattern in step.get("matches", {}).items():
            if not re.search(self.fill(pattern), scenarios.at(answer, path) or ""):
                raise Failure("%s = %.500r, want %s" % (path, scenarios.at(answer, path), self.fill(pattern)))
        for name, path in step.get("save", {}).items():
            if scenarios.at(answer, path) is None:
                raise Failure("there is no %s in %.500r" % (path, answer))
            self.saved[name] = scenarios.at(answer, path)


def play(scenario, keys):
    """What went wrong in a scenario, None if nothing did."""
    player = Player(keys)
    try:
        for number, step in enumerate(scenario["steps"], 1):
            try:
                player.step(step)
            except Exception as failed:
                return "step %d, %s: %s: %s" % (number, step["call"], type(failed).__name__, failed)
    finally:
        if player.receiver:
            player.receiver.close()
    return None


def main():
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    due = [s for s in listed["scenarios"] if s["name"] not in LEFT_OUT]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        running = [(s["name"], pool.submit(play, s, listed["keys"])) for s in due]
        failed = [name for name, run in running if scenarios.report(name, run.result())]
    for name, why in LEFT_OUT.items():
        print("left out %s: %s" % (name, why))
    print("%d passed, %d failed" % (len(running) - len(failed), len(failed)))
    sys.exit(1 if failed or len(running) + len(LEFT_OUT) != len(listed["scenarios"]) else 0)


if __name__ == "__main__":
    main()
