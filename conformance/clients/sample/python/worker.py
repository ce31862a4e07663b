"""A small program as its users write them: a worker that takes orders from a queue."""


def work(sqs, queue, handle):
    """Takes the orders that there are at this moment.

    One that `handle` refuses is given back at once, until the queue's redrive policy sets it aside.
    """
    while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            receipt = message["ReceiptHandle"]
            try:
                handle(message["Body"])
            except ValueError:
                sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=receipt, VisibilityTimeout=0)
            else:
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=receipt)
