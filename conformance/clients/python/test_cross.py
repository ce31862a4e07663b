"""One queue, two clouds: what one provider's SDK sends, the other's receives, hides, and deletes."""

import time

import pytest
from botocore.exceptions import ClientError
from mns.message_property import MessagePropertyValue, PropertyType
from mns.mns_exception import MNSServerException
from mns.queue import Message, QueueMeta


def empty(queue):
    with pytest.raises(MNSServerException) as failed:
        queue.receive_message(1)
    return failed.value.type == "MessageNotExist"


def test_sqs_sends_and_mns_consumes(sqs, url, queue):
    sent = sqs.send_message(
        QueueUrl=url,
        MessageBody="héllo <&>",
        MessageAttributes={
            "text": {"DataType": "String", "StringValue": "a b"},
            "number": {"DataType": "Number", "StringValue": "4.5"},
            "bytes": {"DataType": "Binary", "BinaryValue": b"\x00\x01\xff"},
        },
    )
    got = queue.receive_message(5)
    assert got.message_body == "héllo <&>"
    assert got.message_id == sent["MessageId"].replace("-", "").upper()
    assert got.priority == 8
    assert got.dequeue_count == 1
    properties = {name: (p.get_data_type(), p.get_raw_value()) for name, p in got.get_user_properties().items()}
    assert properties == {
        "text": (PropertyType.STRING, "a b"),
        "number": (PropertyType.NUMBER, "4.5"),
        "bytes": (PropertyType.BINARY, b"\x00\x01\xff"),
    }

    changed = queue.change_message_visibility(got.receipt_handle, 1)
    assert changed.receipt_handle != got.receipt_handle
    with pytest.raises(MNSServerException) as stale:
        queue.delete_message(got.receipt_handle)
    assert stale.value.type == "MessageNotExist"
    again = queue.receive_message(5)
    assert again.dequeue_count == 2
    queue.delete_message(again.receipt_handle)
    assert empty(queue)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)


def test_mns_sends_and_sqs_consumes(sqs, url, queue):
    message = Message("héllo <&>", priority=1)
    message.add_user_property("text", MessagePropertyValue.create_string("a b"))
    message.add_user_property("number", MessagePropertyValue.create_number("4.5"))
    message.add_user_property("bytes", MessagePropertyValue.create_binary(b"\x00\x01\xff"))
    message.add_user_property("yes", MessagePropertyValue.create_boolean("true"))
    sent = queue.send_message(message)

    received = sqs.receive_message(
        QueueUrl=url, WaitTimeSeconds=5, MessageAttributeNames=["All"], AttributeNames=["All"]
    )["Messages"][0]
    assert received["Body"] == "héllo <&>"
    assert received["MessageId"].replace("-", "").upper() == sent.message_id
    assert received["Attributes"]["ApproximateReceiveCount"] == "1"
    attributes = received["MessageAttributes"]
    assert attributes["text"]["StringValue"] == "a b"
    assert attributes["number"] == {"DataType": "Number", "StringValue": "4.5"}
    assert attributes["bytes"]["BinaryValue"] == b"\x00\x01\xff"
    assert attributes["yes"]["StringValue"] == "true"

    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=received["ReceiptHandle"], VisibilityTimeout=0)
    again = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"][0]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=again["ReceiptHandle"])
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    assert empty(queue)


def test_a_message_hidden_by_one_is_hidden_from_the_other(sqs, url, queue):
    sqs.send_message(QueueUrl=url, MessageBody="m")
    queue.receive_message(5)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    numbers = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert numbers["ApproximateNumberOfMessagesNotVisible"] == "1"
    assert queue.get_attributes().inactive_messages == 1


def test_delay_holds_for_the_other(sqs, url, queue):
    began = time.monotonic()
    sqs.send_message(QueueUrl=url, MessageBody="from sqs", DelaySeconds=1)
    assert queue.receive_message(10).message_body == "from sqs"
    assert time.monotonic() - began >= 0.95
    began = time.monotonic()
    queue.send_message(Message("from mns", delay_seconds=1))
    assert sqs.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"][0]["Body"] == "from mns"
    assert time.monotonic() - began >= 0.95


def test_batches_cross(sqs, url, queue):
    sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(i), "MessageBody": "s%d" % i} for i in range(10)])
    got = queue.batch_receive_message(16, 5)
    assert sorted(m.message_body for m in got) == sorted("s%d" % i for i in range(10))
    queue.batch_delete_message([m.receipt_handle for m in got])

    queue.batch_send_message([Message("m%d" % i) for i in range(16)])
    bodies = []
    while len(bodies) < 16:
        part = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=5)["Messages"]
        bodies += [m["Body"] for m in part]
        done = sqs.delete_message_batch(
            QueueUrl=url, Entries=[{"Id": str(i), "ReceiptHandle": m["ReceiptHandle"]} for i, m in enumerate(part)]
        )
        assert len(done["Successful"]) == len(part)
    assert sorted(bodies) == sorted("m%d" % i for i in range(16))
    assert empty(queue)


def test_priority_orders_what_sqs_receives(sqs, url, queue):
    for priority in (16, 1, 8):
        queue.send_message(Message("p%d" % priority, priority=priority))
    sqs.send_message(QueueUrl=url, MessageBody="sqs")
    got = [sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] for _ in range(4)]
    assert got[0] == "p1"
    assert sorted(got[1:3]) == ["p8", "sqs"]
    assert got[3] == "p16"


def test_settings_are_shared(server, sqs, name):
    queue = server.mns().get_queue(name)
    queue.create(QueueMeta(vis_timeout=45, msg_ttl=3600, delay_sec=2, polling_wait_sec=3))
    url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    seen = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert seen["VisibilityTimeout"] == "45"
    assert seen["MessageRetentionPeriod"] == "3600"
    assert seen["DelaySeconds"] == "2"
    assert seen["ReceiveMessageWaitTimeSeconds"] == "3"
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "50"})
    assert queue.get_attributes().visibility_timeout == 50
    queue.delete()
    with pytest.raises(ClientError):
        sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])


def test_both_list_all_queues(server, sqs):
    sqs.create_queue(QueueName="list-by-sqs")
    server.mns().get_queue("list-by-mns").create(QueueMeta())
    urls = sqs.list_queues(QueueNamePrefix="list-by-")["QueueUrls"]
    assert [u.rsplit("/", 1)[1] for u in urls] == ["list-by-mns", "list-by-sqs"]
    urls, _ = server.mns().list_queue("list-by-")
    assert [u.rsplit("/", 1)[1] for u in urls] == ["list-by-mns", "list-by-sqs"]
