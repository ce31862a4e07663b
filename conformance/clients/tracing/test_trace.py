"""One trace holds the whole life of an order: its producer (Node, SQS), the queue, a receive (Python, SQS), the expiry of
its visibility, a second receive, the dead-letter queue, and who finds it there (Python, MNS)."""

import os
import pathlib
import signal
import subprocess
import time

import boto3
import pytest
from botocore.config import Config
from collector import Collector, waterfall
from mns.account import Account
from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.botocore import BotocoreInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

PRODUCER = pathlib.Path(__file__).parent / "producer.js"


@pytest.fixture
def collector():
    started = Collector()
    yield started
    started.close()


@pytest.fixture
def worker(collector):
    """The tracing of this process, which is the worker."""
    provider = TracerProvider(resource=Resource.create({"service.name": "worker"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=collector.url + "/v1/traces")))
    trace.set_tracer_provider(provider)
    BotocoreInstrumentor().instrument()
    yield provider
    BotocoreInstrumentor().uninstrument()
    provider.shutdown()


@pytest.fixture
def server(tmp_path, collector):
    """The program, which is told where to export to like any other."""
    environment = dict(os.environ, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    command = [os.environ["SLUICE_BINARY"], "serve", "--listen", "127.0.0.1:0", "--admin", "none", "--data", str(tmp_path / "data")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    process.url = process.stdout.readline().split()[-1]
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()
    process.stdout.close()


def process_and_fail(sqs, queue, tracer):
    """Receives the order and gives up on it: it is not deleted."""
    [message] = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=10, MessageAttributeNames=["All"])["Messages"]
    carrier = {name: a["StringValue"] for name, a in message["MessageAttributes"].items()}
    with tracer.start_as_current_span("process order", context=propagate.extract(carrier), kind=trace.SpanKind.CONSUMER):
        time.sleep(0.05)
    return message


def test_one_trace_holds_the_whole_life_of_a_message(server, collector, worker):
    sqs = boto3.client(
        "sqs",
        endpoint_url=server.url,
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
        config=Config(retries={"max_attempts": 0}),
    )
    tracer = trace.get_tracer("sample")
    sqs.create_queue(QueueName="orders-dead")
    policy = '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:orders-dead","maxReceiveCount":2}'
    queue = sqs.create_queue(QueueName="orders", Attributes={"VisibilityTimeout": "1", "RedrivePolicy": policy})["QueueUrl"]

    environment = dict(os.environ, SLUICE_URL=server.url, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    sent = subprocess.run(["node", str(PRODUCER), queue], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    order = sent.stdout.strip()

    assert process_and_fail(sqs, queue, tracer)["MessageAttributes"]["traceparent"]["StringValue"].split("-")[1] == order
    process_and_fail(sqs, queue, tracer)
    assert "Messages" not in sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=2)  # it is dead-lettered

    dead = Account(server.url, "any", "any").get_queue("orders-dead")
    dead.set_encoding(False)  # the body comes from SQS
    letter = dead.receive_message_with_str_body(5)
    carrier = {"traceparent": letter.system_properties["traceparent"].get_string_value_by_type()}
    with tracer.start_as_current_span("look at dead letter", context=propagate.extract(carrier), kind=trace.SpanKind.CONSUMER):
        dead.delete_message(letter.receipt_handle)

    worker.force_flush()
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=10) == 0

    spans = collector.trace(order)
    print("\n" + waterfall(spans))
    seen = [(s.service, s.name, s.outcome) for s in spans]
    wanted = [
        ("shop", "place order", ""),
        ("shop", "orders send", ""),
        ("sluice", "queued orders", "received"),
        ("sluice", "in flight orders", "visibility_expired"),
        ("worker", "process order", ""),
        ("sluice", "queued orders", "received"),
        ("sluice", "in flight orders", "visibility_expired"),
        ("worker", "process order", ""),
        ("sluice", "queued orders", "dead_lettered"),
        ("sluice", "dead-lettered orders -> orders-dead", ""),
        ("sluice", "queued orders-dead", "received"),
        ("sluice", "in flight orders-dead", "deleted"),
        ("worker", "look at dead letter", ""),
    ]
    assert sorted(seen) == sorted(wanted)
    # The requests stand in the traces of those who made them, and name the order's.
    requests = sorted(s.name for s in collector.spans if s.kind == "SERVER" and order in s.links)
    assert requests == ["MNS.ReceiveMessage", "SQS.ReceiveMessage", "SQS.ReceiveMessage", "SQS.SendMessage"]
