'use strict';

// A small program as its users write them: a worker that takes orders from a queue.

// Takes the orders that there are at this moment. One that handle refuses is given back at once, until the queue's
// redrive policy sets it aside.
async function work(sqs, QueueUrl, handle) {
  for (;;) {
    const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
    if (Messages.length === 0) return;
    for (const { Body, ReceiptHandle } of Messages) {
      if (await handle(Body)) await sqs.deleteMessage({ QueueUrl, ReceiptHandle });
      else await sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
    }
  }
}

module.exports = { work };
