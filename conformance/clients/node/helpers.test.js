'use strict';

// The helper of sluice.js, used as its users do.

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');

const { SQS } = require('@aws-sdk/client-sqs');

// A server of its own, also where SLUICE_URL names one for the other tests: the time is moved.
delete process.env.SLUICE_URL;
const { startSluice } = require('./sluice');

let sluice;
before(async () => {
  sluice = await startSluice();
});
after(() => sluice.stop());

for (const run of ['one', 'another']) {
  test(`runs do not meet: ${run}`, async () => {
    const sqs = new SQS(sluice.options());
    assert.equal((await sqs.listQueues({})).QueueUrls, undefined);
    const { QueueUrl } = await sqs.createQueue({ QueueName: 'orders' });
    await sqs.sendMessage({ QueueUrl, MessageBody: run });
    const { Messages } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
    assert.deepEqual(Messages.map((m) => m.Body), [run]);
    sqs.destroy();
  });
}

test('time is moved by hand', async () => {
  const sqs = new SQS(sluice.options());
  const { QueueUrl } = await sqs.createQueue({ QueueName: 'orders' });
  await sqs.sendMessage({ QueueUrl, MessageBody: 'again' });
  for (const count of ['1', '2']) {
    const { Messages } = await sqs.receiveMessage({ QueueUrl, AttributeNames: ['ApproximateReceiveCount'] });
    assert.equal(Messages[0].Attributes.ApproximateReceiveCount, count);
    await sluice.advance(30);
  }
  sqs.destroy();
});

test('faults happen as often as they are told to', async () => {
  const sqs = new SQS(sluice.options());
  const { QueueUrl } = await sqs.createQueue({ QueueName: 'orders' });
  await sluice.fault('denied', { kind: 'error', error: 'AccessDenied', provider: 'sqs', operation: 'SendMessage', count: 1 });
  await assert.rejects(sqs.sendMessage({ QueueUrl, MessageBody: 'x' }), { name: 'AccessDenied' });
  await sqs.sendMessage({ QueueUrl, MessageBody: 'x' });
  await sluice.clearFaults();
  sqs.destroy();
});
