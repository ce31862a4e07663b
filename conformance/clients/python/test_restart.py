"""What was answered is still there after the process has ended, however it ended."""

import signal
import threading
import time

import pytest
from mns.queue import Message, QueueMeta


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_everything_answered_survives(own_server, how):
    sqs = own_server.sqs()
    url = sqs.create_queue(QueueName="kept", Attributes={"VisibilityTimeout": "600"}, tags={"t": "1"})["QueueUrl"]
    queue = own_server.mns().get_queue("kept")
    queue.set_encoding(False)
    sqs.send_message(QueueUrl=url, MessageBody="hidden", MessageAttributes={"a": {"DataType": "String", "StringValue": "x"}})
    hidden = sqs.receive_message(QueueUrl=url)["Messages"][0]
    sqs.send_message(QueueUrl=url, MessageBody="deleted")
    sqs.delete_message(QueueUrl=url, ReceiptHandle=sqs.receive_message(QueueUrl=url)["Messages"][0]["ReceiptHandle"])
    queue.send_message(Message("urgent", priority=1))
    queue.send_message(Message("delayed", delay_seconds=600))

    status = own_server.stop(how)
    assert status == (0 if how == signal.SIGTERM else -how)
    own_server.start()

    assert sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]["VisibilityTimeout"] == "600"
    assert sqs.list_queue_tags(QueueUrl=url)["Tags"] == {"t": "1"}
    seen = queue.get_attributes()
    assert (seen.active_messages, seen.inactive_messages, seen.delay_messages) == (1, 1, 1)
    got = queue.receive_message(5)
    assert (got.message_body, got.priority) == ("urgent", 1)
    queue.delete_message(got.receipt_handle)

    # The receipt of before still counts.
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=hidden["ReceiptHandle"], VisibilityTimeout=0)
    again = sqs.receive_message(QueueUrl=url, AttributeNames=["All"], MessageAttributeNames=["All"])["Messages"][0]
    assert again["Body"] == "hidden"
    assert again["Attributes"]["ApproximateReceiveCount"] == "2"
    assert again["MessageAttributes"]["a"]["StringValue"] == "x"


def test_kill_under_load_loses_nothing_answered(own_server):
    url = own_server.sqs().create_queue(QueueName="load")["QueueUrl"]
    answered, lock = set(), threading.Lock()

    def send(sender):
        sqs = own_server.sqs()
        for i in range(10_000):
            body = "%d-%d" % (sender, i)
            try:
                sqs.send_message(QueueUrl=url, MessageBody=body)
            except Exception:
                return
            with lock:
                answered.add(body)

    senders = [threading.Thread(target=send, args=(n,)) for n in range(4)]
    for each in senders:
        each.start()
    while len(answered) < 100:
        time.sleep(0.01)
    own_server.stop(signal.SIGKILL)
    for each in senders:
        each.join()
    own_server.start()

    sqs, kept = own_server.sqs(), []
    while True:
        part = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        if not part:
            break
        kept += [m["Body"] for m in part]
    assert answered <= set(kept)
    assert len(kept) == len(set(kept))


def test_long_polls_are_answered_when_the_server_stops(own_server):
    sqs = own_server.sqs()
    url = sqs.create_queue(QueueName="poll")["QueueUrl"]
    answers = []
    poll = threading.Thread(target=lambda: answers.append(sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20)))
    poll.start()
    time.sleep(0.5)
    began = time.monotonic()
    assert own_server.stop() == 0
    assert time.monotonic() - began < 1
    poll.join()
    assert "Messages" not in answers[0]


def test_queue_made_by_mns_survives(own_server):
    own_server.mns().get_queue("kept").create(QueueMeta(vis_timeout=77))
    own_server.stop(signal.SIGKILL)
    own_server.start()
    assert own_server.mns().get_queue("kept").get_attributes().visibility_timeout == 77
