"""Topics of MNS: what is published reaches queues, of either provider, and HTTP endpoints."""

import base64
import http.server
import json
import queue as queues
import threading
import urllib.request

import pytest
from mns.mns_exception import MNSServerException
from mns.subscription import SubscriptionMeta
from mns.topic import TopicMessage, TopicMeta


@pytest.fixture
def topic(server, name):
    made = server.mns().get_topic(name)
    made.create(TopicMeta())
    return made


def subscribe(topic, endpoint, content_format, tag="", name="s"):
    subscription = topic.get_subscription(name)
    subscription.subscribe(SubscriptionMeta(endpoint, "BACKOFF_RETRY", content_format, tag))
    return subscription


def queue_endpoint(name):
    return "acs:mns:cn-hangzhou:1234567890123456:queues/" + name


def test_published_message_reaches_a_queue_of_sqs(sqs, url, topic, name):
    subscribe(topic, queue_endpoint(name), "SIMPLIFIED")
    sent = topic.publish_message(TopicMessage("héllo"))
    assert len(sent.message_id) == 32
    assert sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"][0]["Body"] == "héllo"


def test_json_format_names_topic_and_message(queue, topic, name):
    subscribe(topic, queue_endpoint(name), "JSON")
    sent = topic.publish_message(TopicMessage("m"))
    told = json.loads(queue.receive_message(5).message_body)
    assert (told["TopicName"], told["Message"], told["MessageId"]) == (name, "m", sent.message_id)
    assert told["SubscriptionName"] == "s"


def test_tags_filter(queue, topic, name):
    subscribe(topic, queue_endpoint(name), "SIMPLIFIED", tag="wanted")
    topic.publish_message(TopicMessage("unwanted", "other"))
    topic.publish_message(TopicMessage("wanted", "wanted"))
    got = queue.receive_message(5)
    assert got.message_body == "wanted"
    queue.delete_message(got.receipt_handle)
    with pytest.raises(MNSServerException):
        queue.receive_message(1)


def test_push_to_http_is_signed(topic, name):
    pushed = queues.Queue()

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            pushed.put((self.path, dict(self.headers.items()), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        subscribe(topic, "http://127.0.0.1:%d/hook" % receiver.server_port, "SIMPLIFIED")
        sent = topic.publish_message(TopicMessage("m"))
        path, headers, body = pushed.get(timeout=5)
        receiver.shutdown()
    headers = {key.lower(): value for key, value in headers.items()}
    assert (path, body) == ("/hook", "m")
    assert headers["x-mns-message-id"] == sent.message_id
    assert headers["x-mns-topic-name"] == name
    certificate = urllib.request.urlopen(base64.b64decode(headers["x-mns-signing-cert-url"]).decode()).read()
    assert certificate.startswith(b"-----BEGIN CERTIFICATE-----")


def test_attributes_and_lists(server, topic, name):
    subscription = subscribe(topic, queue_endpoint(name), "SIMPLIFIED")
    assert topic.get_attributes().topic_name == name
    assert subscription.get_attributes().endpoint == queue_endpoint(name)
    urls, _ = topic.list_subscription()
    assert [u.rsplit("/", 1)[1] for u in urls] == ["s"]
    urls, _ = server.mns().list_topic(name)
    assert [u.rsplit("/", 1)[1] for u in urls] == [name]
    subscription.unsubscribe()
    with pytest.raises(MNSServerException) as failed:
        subscription.get_attributes()
    assert failed.value.type == "SubscriptionNotExist"
    topic.delete()
    with pytest.raises(MNSServerException) as failed:
        topic.publish_message(TopicMessage("m"))
    assert failed.value.type == "TopicNotExist"
