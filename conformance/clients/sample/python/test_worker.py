import json

from worker import work


def bodies(sqs, queue):
    got = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)
    return [message["Body"] for message in got.get("Messages", [])]


def test_an_order_that_is_refused_three_times_is_set_aside(sqs):
    dead = sqs.create_queue(QueueName="orders-dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 3})
    queue = sqs.create_queue(QueueName="orders", Attributes={"RedrivePolicy": policy})["QueueUrl"]
    for order in ["good", "broken"]:
        sqs.send_message(QueueUrl=queue, MessageBody=order)

    tried = []

    def handle(order):
        tried.append(order)
        if order == "broken":
            raise ValueError("no such customer")

    work(sqs, queue, handle)
    assert sorted(tried) == ["broken", "broken", "broken", "good"]
    assert bodies(sqs, queue) == []
    assert bodies(sqs, dead) == ["broken"]
