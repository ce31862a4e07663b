"""pytest fixtures for tests of programs that work with queues. Copy this file next to your conftest.py and write there:

    pytest_plugins = ["sluice_pytest"]

A test that takes `sqs` has a client whose queues nobody else sees, so tests can run in parallel, in as many processes as
you like. SLUICE_URL (and SLUICE_ADMIN, for `sluice`) name a server that runs already, with --account-per-key; otherwise
one is started for the run, from the program that SLUICE_BINARY names or the one called sluice.
"""

import json
import os
import subprocess
import urllib.request
import uuid

import boto3
import pytest


class Sluice:
    """A server, and what can be done to it behind the back of the program under test."""

    def __init__(self, url, admin):
        self.url = url
        self.admin = admin

    def call(self, method, path, body=None):
        """Calls the control API."""
        request = urllib.request.Request(
            self.admin + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def advance(self, seconds):
        """Moves the time of the server forward. It is everybody's time: not for a server that is shared."""
        self.call("POST", "/api/v1/clock/advance", {"by": seconds})

    def fault(self, name, **rule):
        """Makes something go wrong, such as fault("busy", kind="throttle", operation="Send*", count=2)."""
        self.call("PUT", f"/api/v1/faults/{name}", rule)

    def clear_faults(self):
        """Lets everything go well again."""
        self.call("DELETE", "/api/v1/faults")


@pytest.fixture(scope="session")
def sluice():
    """The server of the run."""
    if "SLUICE_URL" in os.environ:
        yield Sluice(os.environ["SLUICE_URL"], os.environ.get("SLUICE_ADMIN"))
        return
    command = [os.environ.get("SLUICE_BINARY", "sluice"), "serve", "--data", "memory", "--account-per-key"]
    command += ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        ready, admin = process.stdout.readline(), process.stdout.readline()
        assert ready.startswith("Ready."), ready
        yield Sluice(ready.split()[-1], admin.split()[-1])
        process.terminate()
        assert process.wait(timeout=10) == 0


@pytest.fixture
def sqs(sluice):
    """A client with an account of its own."""
    return boto3.client(
        "sqs",
        endpoint_url=sluice.url,
        region_name="us-east-1",
        aws_access_key_id=f"SLUICE{uuid.uuid4().hex}",
        aws_secret_access_key="any",
    )
