"""With access keys in the configuration, the SDKs' signatures are verified."""

import pytest
from botocore.exceptions import ClientError
from conftest import Server
from mns.mns_exception import MNSServerException
from mns.queue import Message, QueueMeta


@pytest.fixture
def guarded(tmp_path):
    config = tmp_path / "sluice.yaml"
    config.write_text("credentials:\n- {id: AKID, secret: s3cr3t/+}\n")
    started = Server(tmp_path / "data", "--config", str(config))
    yield started
    started.stop()


def test_right_key_is_let_in(guarded):
    sqs = guarded.sqs("AKID", "s3cr3t/+")
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="h\u00e9llo <&> +%20")
    queue = guarded.mns("AKID", "s3cr3t/+").get_queue("q")
    queue.set_encoding(False)
    got = queue.receive_message(5)
    assert got.message_body == "h\u00e9llo <&> +%20"
    queue.delete_message(got.receipt_handle)
    queue.send_message(Message("m"))
    got = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"][0]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=got["ReceiptHandle"])


@pytest.mark.parametrize("key, secret, sqs_code, mns_code", [
    ("AKID", "wrong", "SignatureDoesNotMatch", "SignatureDoesNotMatch"),
    ("OTHER", "s3cr3t/+", "InvalidClientTokenId", "InvalidAccessKeyId"),
])
def test_wrong_key_is_not(guarded, key, secret, sqs_code, mns_code):
    with pytest.raises(ClientError) as failed:
        guarded.sqs(key, secret).create_queue(QueueName="q")
    code = failed.value.response["Error"]["Code"]
    assert code == sqs_code or code == sqs_code + "Exception" or (sqs_code, code) == ("InvalidClientTokenId", "UnrecognizedClientException")
    with pytest.raises(MNSServerException) as failed:
        guarded.mns(key, secret).get_queue("q").create(QueueMeta())
    assert failed.value.type == mns_code
