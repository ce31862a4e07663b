"""Unmodified Celery workers on the server: they consume, delay, retry, and take over what a lost worker had begun.

They speak the protocol that their version of boto3 has; the requests of a worker itself are built by kombu.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import uuid

import boto3
import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def sqs():
    client = boto3.client(
        "sqs",
        endpoint_url=os.environ["SLUICE_URL"],
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )
    assert client.meta.service_model.metadata["protocol"] == os.environ["SLUICE_PROTOCOL"]
    return client


class Bench:
    """A queue with an application on it, and what its tasks have recorded."""

    def __init__(self, sqs, path, queue, **settings):
        self.sqs, self.queue, self.path = sqs, queue, path / "record"
        self.env = dict(os.environ, QUEUE=queue, RECORD=str(self.path), PYTHONDONTWRITEBYTECODE="1", **settings)

    def send(self, *code):
        """Sends tasks, from a process of their own as the application reads its settings once."""
        subprocess.run([sys.executable, "-c", "\n".join(("import tasks",) + code)], cwd=HERE, env=self.env, check=True)

    @contextlib.contextmanager
    def worker(self, *options):
        command = [sys.executable, "-m", "celery", "-A", "tasks", "worker", "--loglevel", "WARNING", *options]
        process = subprocess.Popen(command, cwd=HERE, env=self.env, start_new_session=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=30)

    def recorded(self):
        return self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []

    def wait_for(self, count, seconds=30):
        until = time.monotonic() + seconds
        while len(self.recorded()) < count and time.monotonic() < until:
            time.sleep(0.05)
        return self.recorded()

    def left(self):
        """How many messages the queue still has: to be received, and received."""
        url = self.sqs.get_queue_url(QueueName=self.queue)["QueueUrl"]
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        seen = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return tuple(int(seen[name]) for name in names)

    def is_consumed(self, seconds=10):
        until = time.monotonic() + seconds
        while self.left() != (0, 0) and time.monotonic() < until:
            time.sleep(0.05)
        return self.left() == (0, 0)


@pytest.fixture
def queue():
    return "celery-" + uuid.uuid4().hex[:12]


def test_workers_consume_every_task_once(sqs, tmp_path, queue):
    bench = Bench(sqs, tmp_path, queue)
    bench.send("for i in range(40): tasks.say.delay('größe <&> %d' % i)")
    with bench.worker("--concurrency", "2"):
        got = bench.wait_for(40)
        assert sorted(got) == sorted("größe <&> %d" % i for i in range(40))
        assert bench.is_consumed()
    assert len(bench.recorded()) == 40


def test_countdown_delays_a_task(sqs, tmp_path, queue):
    bench = Bench(sqs, tmp_path, queue)
    bench.send("tasks.due.apply_async(countdown=4)")
    with bench.worker("--pool", "solo"):
        assert bench.wait_for(1) == ["in time"]
        assert bench.is_consumed()


def test_failed_task_is_retried(sqs, tmp_path, queue):
    bench = Bench(sqs, tmp_path, queue)
    bench.send("tasks.retry.delay('attempt')")
    with bench.worker("--pool", "solo"):
        assert bench.wait_for(3) == ["attempt 0", "attempt 1", "attempt 2"]
        assert bench.is_consumed()


def test_task_of_a_lost_worker_comes_again(sqs, tmp_path, queue):
    bench = Bench(sqs, tmp_path, queue, VISIBILITY="4")
    bench.send("tasks.linger.delay(0.5)")
    with bench.worker("--pool", "solo") as lost:
        assert bench.wait_for(1) == ["began"]
        os.kill(lost.pid, signal.SIGKILL)
        lost.wait(timeout=10)
    assert bench.left() == (0, 1)
    with bench.worker("--pool", "solo"):
        assert bench.wait_for(3) == ["began", "began", "ended"]
        assert bench.is_consumed()


def test_backoff_policy_changes_the_visibility(sqs, tmp_path, queue):
    url = sqs.create_queue(QueueName=queue, Attributes={"VisibilityTimeout": "600"})["QueueUrl"]
    bench = Bench(sqs, tmp_path, queue, PREDEFINED=url)
    bench.send("tasks.stumble.delay(2)")
    with bench.worker("--pool", "solo"):
        assert bench.wait_for(3) == ["attempt"] * 3
        assert bench.is_consumed()


def test_fifo_queue_keeps_the_order_of_tasks(sqs, tmp_path, queue):
    queue += ".fifo"
    url = sqs.create_queue(QueueName=queue, Attributes={"FifoQueue": "true"})["QueueUrl"]
    bench = Bench(sqs, tmp_path, queue, PREDEFINED=url)
    bench.send("for i in range(20): tasks.say.delay(str(i))")
    with bench.worker("--pool", "solo"):
        assert bench.wait_for(20) == [str(i) for i in range(20)]
        assert bench.is_consumed()
