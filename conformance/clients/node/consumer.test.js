'use strict';

// sqs-consumer, the framework that most Node workers are written with, unmodified against SLUICE_URL.

const assert = require('node:assert/strict');
const { randomUUID } = require('node:crypto');
const { once } = require('node:events');
const { after, test } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');

const { SQS } = require('@aws-sdk/client-sqs');
const { Consumer } = require('sqs-consumer');

const sqs = new SQS({
  endpoint: process.env.SLUICE_URL,
  region: 'us-east-1',
  credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
});
after(() => sqs.destroy());

async function queue(Attributes, suffix = '') {
  return (await sqs.createQueue({ QueueName: `consumer-${randomUUID()}${suffix}`, Attributes })).QueueUrl;
}

function send(QueueUrl, count) {
  const Entries = Array.from({ length: count }, (_, i) => ({ Id: String(i), MessageBody: `m${i}` }));
  return sqs.sendMessageBatch({ QueueUrl, Entries });
}

// Runs a consumer until it has said what is waited for, and stops it in an orderly way. Gives all errors it reported.
async function consume(queueUrl, options, until) {
  const consumer = Consumer.create({ queueUrl, sqs, waitTimeSeconds: 1, shouldDeleteMessages: true, ...options });
  const errors = [];
  for (const event of ['error', 'processing_error', 'timeout_error']) {
    consumer.on(event, (failed) => errors.push(failed.message));
  }
  const done = until(consumer);
  consumer.start();
  await done;
  const stopped = once(consumer, 'stopped');
  consumer.stop();
  await stopped;
  return errors;
}

async function left(QueueUrl) {
  const { Attributes } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}

test('each message is handled once and deleted', async () => {
  const url = await queue();
  await send(url, 10);
  const seen = [];
  const handleMessage = async (message) => {
    seen.push(message.Body);
    return message;
  };
  assert.deepEqual(await consume(url, { handleMessage, batchSize: 3 }, (consumer) => once(consumer, 'empty')), []);
  assert.deepEqual(seen.sort(), Array.from({ length: 10 }, (_, i) => `m${i}`));
  assert.equal(await left(url), 0);
});

test('a handler of batches deletes what it returns', async () => {
  const url = await queue();
  await send(url, 10);
  const handleMessageBatch = async (messages) => messages.filter(({ Body }) => Body !== 'm3');
  assert.deepEqual(await consume(url, { handleMessageBatch, batchSize: 10 }, (consumer) => once(consumer, 'empty')), []);
  assert.equal(await left(url), 1);
});

test('a failed message is given back at once', async () => {
  const url = await queue({ VisibilityTimeout: '600' });
  await send(url, 1);
  const counts = [];
  const handleMessage = async (message) => {
    counts.push(message.Attributes.ApproximateReceiveCount);
    if (counts.length < 3) throw new Error('stumbled');
    return message;
  };
  const options = { handleMessage, terminateVisibilityTimeout: true, messageSystemAttributeNames: ['ApproximateReceiveCount'] };
  const errors = await consume(url, options, (consumer) => once(consumer, 'message_processed'));
  assert.deepEqual(counts, ['1', '2', '3']);
  assert.deepEqual(errors, Array(2).fill('Unexpected message handler failure: stumbled'));
  assert.equal(await left(url), 0);
});

test('a heartbeat keeps a message hidden as long as it is worked on', async () => {
  const url = await queue();
  await send(url, 1);
  let handled = 0;
  const handleMessage = async (message) => {
    handled++;
    await sleep(3500);
    return message;
  };
  const options = { handleMessage, visibilityTimeout: 2, heartbeatInterval: 1 };
  const errors = await consume(url, options, async (consumer) => {
    const processed = once(consumer, 'message_processed');
    await once(consumer, 'message_received');
    const other = await sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 3 });
    assert.equal(other.Messages, undefined);
    await processed;
  });
  assert.deepEqual(errors, []);
  assert.equal(handled, 1);
  assert.equal(await left(url), 0);
});

test('a FIFO queue is handled in order', async () => {
  const url = await queue({ FifoQueue: 'true', ContentBasedDeduplication: 'true' }, '.fifo');
  for (let i = 0; i < 12; i++) await sqs.sendMessage({ QueueUrl: url, MessageBody: `m${i}`, MessageGroupId: 'g' });
  const seen = [];
  const handleMessage = async (message) => {
    seen.push(message.Body);
    return message;
  };
  await consume(url, { handleMessage, batchSize: 1 }, (consumer) => once(consumer, 'empty'));
  assert.deepEqual(seen, Array.from({ length: 12 }, (_, i) => `m${i}`));
  assert.equal(await left(url), 0);
});

test('a missing queue is reported by name', async () => {
  const errors = await consume(`${process.env.SLUICE_URL}/000000000000/gone`, { handleMessage: async () => {} }, (consumer) => once(consumer, 'error'));
  assert.match(errors[0], /The specified queue does not exist\./);
});
