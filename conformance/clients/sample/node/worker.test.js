'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');

const { SQS } = require('@aws-sdk/client-sqs');

const { startSluice } = require('../../node/sluice'); // in your project a copy beside this file
const { work } = require('./worker');

let sluice;
before(async () => {
  sluice = await startSluice();
});
after(() => sluice.stop());

async function bodies(sqs, QueueUrl) {
  const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
  return Messages.map((m) => m.Body);
}

test('an order that is refused three times is set aside', async () => {
  const sqs = new SQS(sluice.options());
  const { QueueUrl: dead } = await sqs.createQueue({ QueueName: 'orders-dead' });
  const { Attributes } = await sqs.getQueueAttributes({ QueueUrl: dead, AttributeNames: ['QueueArn'] });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes.QueueArn, maxReceiveCount: 3 });
  const { QueueUrl } = await sqs.createQueue({ QueueName: 'orders', Attributes: { RedrivePolicy } });
  for (const MessageBody of ['good', 'broken']) await sqs.sendMessage({ QueueUrl, MessageBody });

  const tried = [];
  await work(sqs, QueueUrl, (order) => {
    tried.push(order);
    return order !== 'broken';
  });
  assert.deepEqual(tried.sort(), ['broken', 'broken', 'broken', 'good']);
  assert.deepEqual(await bodies(sqs, QueueUrl), []);
  assert.deepEqual(await bodies(sqs, dead), ['broken']);
  sqs.destroy();
});
