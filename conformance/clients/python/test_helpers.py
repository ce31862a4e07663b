"""The fixtures of sluice_pytest.py, used as their users do."""

import pytest
from botocore.exceptions import ClientError

from sluice_pytest import sluice, sqs  # noqa: F401: a conftest.py of one's own would have pytest_plugins


@pytest.mark.parametrize("run", ["one", "another"])
def test_runs_do_not_meet(sqs, run):  # noqa: F811
    assert "QueueUrls" not in sqs.list_queues()
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=run)
    assert [m["Body"] for m in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]] == [run]


def test_time_is_moved_by_hand(sluice, sqs):  # noqa: F811
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="again")
    for count in ["1", "2"]:
        (message,) = sqs.receive_message(QueueUrl=url, AttributeNames=["ApproximateReceiveCount"])["Messages"]
        assert message["Attributes"]["ApproximateReceiveCount"] == count
        sluice.advance(30)


def test_faults_happen_as_often_as_they_are_told_to(sluice, sqs):  # noqa: F811
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    sluice.fault("denied", kind="error", error="AccessDenied", provider="sqs", operation="SendMessage", count=1)
    try:
        with pytest.raises(ClientError, match="AccessDenied"):
            sqs.send_message(QueueUrl=url, MessageBody="x")
        sqs.send_message(QueueUrl=url, MessageBody="x")
    finally:
        sluice.clear_faults()
