"""A Celery application as its users write one: only the broker's address is that of the server under test.

Its tasks say what they do in the file RECORD, as there is no result backend for SQS.
"""

import datetime
import os
import time

from celery import Celery

address = os.environ["SLUICE_URL"].removeprefix("http://")
name = os.environ["QUEUE"]

app = Celery("tasks", broker="sqs://any:any@%s//" % address)
app.conf.task_default_queue = name
app.conf.worker_enable_remote_control = False  # would need SNS
app.conf.broker_connection_retry_on_startup = True
app.conf.broker_transport_options = {
    "is_secure": False,
    "region": "us-east-1",
    "visibility_timeout": int(os.environ.get("VISIBILITY", "60")),
    "wait_time_seconds": 2,
    "polling_interval": 0,
}
if "PREDEFINED" in os.environ:
    # Queues that exist already, with Celery's own way to come back to a failed task: it changes its visibility.
    app.conf.broker_transport_options["predefined_queues"] = {
        name: {
            "url": os.environ["PREDEFINED"],
            "access_key_id": "any",
            "secret_access_key": "any",
            "backoff_policy": {1: 1, 2: 2, 3: 1},
            "backoff_tasks": ["tasks.stumble"],
        }
    }


def record(line):
    with open(os.environ["RECORD"], "a", encoding="utf-8") as file:
        file.write(line + "\n")


@app.task(name="tasks.say")
def say(what):
    record(what)


@app.task(name="tasks.due", bind=True)
def due(self):
    eta = datetime.datetime.fromisoformat(self.request.eta)
    record("early" if datetime.datetime.now(datetime.timezone.utc) < eta else "in time")


@app.task(name="tasks.retry", bind=True, max_retries=3)
def retry(self, what):
    record("%s %d" % (what, self.request.retries))
    if self.request.retries < 2:
        raise self.retry(countdown=1)


@app.task(name="tasks.linger", acks_late=True)
def linger(seconds):
    record("began")
    time.sleep(seconds)
    record("ended")


@app.task(name="tasks.stumble", acks_late=True, acks_on_failure_or_timeout=False)
def stumble(times):
    record("attempt")
    with open(os.environ["RECORD"], encoding="utf-8") as file:
        if len(file.readlines()) <= times:
            raise RuntimeError("stumbled")
