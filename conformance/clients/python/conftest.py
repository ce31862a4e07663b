"""Starts the program that SLUICE_BINARY names, on a free port and a directory of its own, and gives real clients of it."""

import os
import signal
import subprocess
import uuid

import boto3
import pytest
from botocore.config import Config
from mns.account import Account


class Server:
    """One sluice process. It can be stopped or killed, and started again on the same port and data."""

    def __init__(self, data, *arguments):
        self.data = data
        self.arguments = arguments
        self.listen = "127.0.0.1:0"
        self.start()

    def start(self):
        command = [os.environ["SLUICE_BINARY"], "serve", "--listen", self.listen, "--admin", "none", "--data", str(self.data)]
        command += self.arguments
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Ready."), line
        self.url = line.split()[-1]
        self.listen = self.url.removeprefix("http://")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(timeout=10)
        self.process.stdout.close()
        return status

    def sqs(self, key="any", secret="any"):
        return boto3.client(
            "sqs",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=Config(retries={"max_attempts": 0}),
        )

    def mns(self, key="any", secret="any"):
        return Account(self.url, key, secret)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server") / "data")
    yield started
    assert started.stop() == 0


@pytest.fixture
def own_server(tmp_path):
    """A server that a test may stop and start."""
    started = Server(tmp_path / "data")
    yield started
    if started.process.poll() is None:
        started.stop()


@pytest.fixture
def sqs(server):
    return server.sqs()


@pytest.fixture
def name():
    return "q-" + uuid.uuid4().hex


@pytest.fixture
def url(sqs, name):
    """The URL of a new queue, made by SQS."""
    return sqs.create_queue(QueueName=name)["QueueUrl"]


@pytest.fixture
def queue(server, url, name):
    """The same queue as MNS sees it, with plain bodies: what the SDK does by default is in test_mns.py."""
    seen = server.mns().get_queue(name)
    seen.set_encoding(False)
    return seen
