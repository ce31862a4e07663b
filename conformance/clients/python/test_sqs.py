"""boto3 by itself, in the protocol that its version speaks."""

import hashlib
import os

import pytest


def test_this_boto3_speaks_the_expected_protocol(sqs):
    assert sqs.meta.service_model.metadata["protocol"] == os.environ["SLUICE_PROTOCOL"]


def test_send_receive_delete(sqs, url):
    sent = sqs.send_message(QueueUrl=url, MessageBody="body")
    assert sent["MD5OfMessageBody"] == hashlib.md5(b"body").hexdigest()
    got = sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"]
    assert [m["MessageId"] for m in got] == [sent["MessageId"]]
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    sqs.delete_message(QueueUrl=url, ReceiptHandle=got[0]["ReceiptHandle"])
    sqs.delete_message(QueueUrl=url, ReceiptHandle=got[0]["ReceiptHandle"])  # deleting twice is no error


def test_batch_reports_each_entry(sqs, url):
    done = sqs.send_message_batch(
        QueueUrl=url,
        Entries=[{"Id": "good", "MessageBody": "m"}, {"Id": "bad", "MessageBody": "m", "DelaySeconds": 901}],
    )
    assert [e["Id"] for e in done["Successful"]] == ["good"]
    assert [(e["Id"], e["SenderFault"]) for e in done["Failed"]] == [("bad", True)]


def test_fifo_keeps_order_and_drops_duplicates(sqs, name):
    url = sqs.create_queue(QueueName=name + ".fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    for body, dedup in (("1", "a"), ("2", "b"), ("2 again", "b")):
        sqs.send_message(QueueUrl=url, MessageBody=body, MessageGroupId="g", MessageDeduplicationId=dedup)
    got = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"])["Messages"]
    assert [m["Body"] for m in got] == ["1", "2"]
    assert [m["Attributes"]["MessageDeduplicationId"] for m in got] == ["a", "b"]


def test_dead_letter_queue(sqs, url, name):
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = '{"deadLetterTargetArn":"%s","maxReceiveCount":1}' % arn
    source = sqs.create_queue(QueueName=name + "-source", Attributes={"RedrivePolicy": policy})["QueueUrl"]
    sqs.send_message(QueueUrl=source, MessageBody="m")
    sqs.receive_message(QueueUrl=source, VisibilityTimeout=0)
    assert "Messages" not in sqs.receive_message(QueueUrl=source)
    assert sqs.receive_message(QueueUrl=url, WaitTimeSeconds=2)["Messages"][0]["Body"] == "m"
    assert sqs.list_dead_letter_source_queues(QueueUrl=url)["queueUrls"] == [source]


def test_purge(sqs, url):
    sqs.send_message(QueueUrl=url, MessageBody="m")
    sqs.purge_queue(QueueUrl=url)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    sqs.purge_queue(QueueUrl=url)  # no wait of 60 s without --strict


def test_tags(sqs, name):
    url = sqs.create_queue(QueueName=name, tags={"a": "1", "b": "2"})["QueueUrl"]
    sqs.untag_queue(QueueUrl=url, TagKeys=["a"])
    sqs.tag_queue(QueueUrl=url, Tags={"c": "ä"})
    assert sqs.list_queue_tags(QueueUrl=url)["Tags"] == {"b": "2", "c": "ä"}


def test_typed_errors(sqs, url, name):
    e = sqs.exceptions
    gone = url + "-gone"
    with pytest.raises(e.QueueDoesNotExist) as failed:
        sqs.send_message(QueueUrl=gone, MessageBody="m")
    assert failed.value.response["Error"]["Code"] == "AWS.SimpleQueueService.NonExistentQueue"
    assert failed.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    with pytest.raises(e.QueueDoesNotExist):
        sqs.get_queue_url(QueueName=name + "-gone")
    with pytest.raises(e.ReceiptHandleIsInvalid):
        sqs.delete_message(QueueUrl=url, ReceiptHandle="nonsense")
    with pytest.raises(e.QueueNameExists):
        sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "1"})
    with pytest.raises(e.BatchEntryIdsNotDistinct):
        sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": "a", "MessageBody": "m"}] * 2)
    with pytest.raises(e.TooManyEntriesInBatchRequest):
        sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": str(i), "MessageBody": "m"} for i in range(11)])
    with pytest.raises(e.InvalidAttributeName):
        sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Nonsense"])
    with pytest.raises(sqs.exceptions.ClientError) as failed:
        sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=11)
    assert failed.value.response["Error"]["Code"] == "InvalidParameterValue"
