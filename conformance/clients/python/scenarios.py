"""Runs the scenarios that all languages share with boto3, in the protocol that its version speaks, against SLUICE_URL."""

import base64
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import uuid

import boto3
import botocore.exceptions
from botocore.config import Config

SCENARIOS = pathlib.Path(__file__).parents[1] / "scenarios" / "sqs.json"

# What this SDK cannot send, by protocol, and why.
LEFT_OUT = {
    "json": {},
    "query": {
        "host-of-a-queue-url-does-not-matter": "this version sends the request to the host of the queue URL",
        "system-attributes-by-the-newer-name": "this version does not know MessageSystemAttributeNames",
    },
}


class Failure(Exception):
    """A scenario went another way than it should."""


def client():
    return boto3.client(
        "sqs",
        endpoint_url=os.environ["SLUICE_URL"],
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
        config=Config(retries={"max_attempts": 0}, max_pool_connections=50),
    )


def method(sqs, call):
    name = next(name for name, operation in sqs.meta.method_to_api_mapping.items() if operation == call)
    return getattr(sqs, name)


def at(value, path):
    """What stands at a path, None if nothing does. What has dots itself stands in brackets."""
    for bracketed, plain in re.findall(r"\[([^\]]*)\]|([^.\[]+)", path):
        part = bracketed or plain
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            return None
    return value


class Player:
    """One run of a scenario."""

    def __init__(self, sqs):
        self.sqs = sqs
        self.saved = {"unique": uuid.uuid4().hex[:20], "kilobyte": "a" * 1024, "megabyte": "a" * 1048576}

    def fill(self, value):
        """Replaces variables, and base64 by its bytes."""
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)\}", lambda v: str(self.saved[v[1]]), value)
        if isinstance(value, list):
            return [self.fill(v) for v in value]
        if isinstance(value, dict):
            if "$base64" in value:
                return base64.b64decode(value["$base64"])
            return {name: self.fill(v) for name, v in value.items()}
        return value

    def step(self, step):
        try:
            answer = method(self.sqs, step["call"])(**self.fill(step["with"]))
        except botocore.exceptions.ClientError as failed:
            if "fails" not in step:
                raise
            return self.check_failure(step["fails"], failed)
        if "fails" in step:
            raise Failure("succeeded with %.500r, want it to fail" % answer)
        self.check_answer(step, answer)
        for name, path in step.get("save", {}).items():
            if at(answer, path) is None:
                raise Failure("there is no %s in %.500r" % (path, answer))
            self.saved[name] = at(answer, path)

    def check_failure(self, want, failed):
        got = {
            "error": type(failed).__name__,
            "code": failed.response["Error"]["Code"],
            "status": failed.response["ResponseMetadata"]["HTTPStatusCode"],
            "message": failed.response["Error"]["Message"],
        }
        for name, value in want.items():
            if name == "error" and value not in self.sqs.meta.service_model.shape_names:
                value = "ClientError"  # an older SDK may have no type for it
            if got[name] != self.fill(value):
                raise Failure("%s = %.500r, want %.500r" % (name, got[name], self.fill(value)))

    def check_answer(self, step, answer):
        for path, want in step.get("expect", {}).items():
            got, want = at(answer, path), self.fill(want)
            if got != want or type(got) is not type(want):
                raise Failure("%s = %.500r, want %.500r" % (path, got, want))
        for path, want in step.get("same", {}).items():
            if at(answer, path) != self.fill(want):
                raise Failure("%s = %.500r, want %.500r" % (path, at(answer, path), self.fill(want)))
        for path, other in step.get("differs", {}).items():
            if at(answer, path) in (None, self.fill(other)):
                raise Failure("%s = %.500r, want another value" % (path, at(answer, path)))
        for path, want in step.get("count", {}).items():
            if len(at(answer, path) or ()) != want:
                raise Failure("%s has %d, want %d, in %.500r" % (path, len(at(answer, path) or ()), want, answer))
        for path in step.get("absent", ()):
            if at(answer, path) is not None:
                raise Failure("%s = %.500r, want nothing" % (path, at(answer, path)))


def play(scenario, sqs):
    """What went wrong in a scenario, None if nothing did."""
    player = Player(sqs)
    for number, step in enumerate(scenario["steps"], 1):
        try:
            player.step(step)
        except Exception as failed:
            return "step %d, %s: %s: %s" % (number, step["call"], type(failed).__name__, failed)
    return None


def main():
    sqs = client()
    protocol = sqs.meta.service_model.metadata["protocol"]
    if protocol != os.environ.get("SLUICE_PROTOCOL", protocol):
        sys.exit("this boto3 speaks %s, want %s" % (protocol, os.environ["SLUICE_PROTOCOL"]))
    scenarios = json.loads(SCENARIOS.read_text(encoding="utf-8"))["scenarios"]
    due = [s for s in scenarios if protocol in s.get("protocols", (protocol,))]
    left_out = LEFT_OUT[protocol]
    unknown = set(left_out) - {s["name"] for s in due}
    if unknown:
        sys.exit("left out, but no scenario: %s" % ", ".join(sorted(unknown)))
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        running = [(s["name"], pool.submit(play, s, sqs)) for s in due if s["name"] not in left_out]
        failed = [(name, why) for name, why in ((name, run.result()) for name, run in running) if report(name, why)]
    for name, why in left_out.items():
        print("left out %s: %s" % (name, why))
    print("%d passed, %d failed" % (len(running) - len(failed), len(failed)))
    sys.exit(1 if failed or len(running) + len(left_out) != len(due) else 0)


def report(name, why):
    print("ok %s" % name if why is None else "FAILED %s: %s" % (name, why), flush=True)
    return why is not None


if __name__ == "__main__":
    main()
