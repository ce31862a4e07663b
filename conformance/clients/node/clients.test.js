'use strict';

// The official SDKs of both providers for Node, against the program that SLUICE_BINARY names: what one sends, the other
// consumes.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');

const { SQS, QueueDoesNotExist, ReceiptHandleIsInvalid, QueueNameExists } = require('@aws-sdk/client-sqs');
const MNS = require('@alicloud/mns');

const data = mkdtempSync(path.join(os.tmpdir(), 'sluice-'));
let server;
let url;
let sqs;
let mns;

function start(listen) {
  return new Promise((resolve, reject) => {
    server = spawn(process.env.SLUICE_BINARY, ['serve', '--listen', listen, '--admin', 'none', '--data', data], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`sluice ended with ${code}`)));
    server.stdout.once('data', (line) => {
      url = String(line).split('\n')[0].split(' ').pop();
      sqs = new SQS({
        endpoint: url,
        region: 'us-east-1',
        credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
        maxAttempts: 1,
      });
      mns = new MNS('1234567890123456', { endpoint: url, accessKeyId: 'any', accessKeySecret: 'any' });
      resolve();
    });
  });
}

function stop(signal) {
  return new Promise((resolve) => {
    server.removeAllListeners('exit');
    server.once('exit', resolve);
    server.kill(signal);
  });
}

before(() => start('127.0.0.1:0'));
after(async () => {
  sqs.destroy();
  assert.equal(await stop('SIGTERM'), 0);
  rmSync(data, { recursive: true });
});

async function queue(name, Attributes) {
  return (await sqs.createQueue({ QueueName: name, Attributes })).QueueUrl;
}

test('SQS sends, MNS receives, changes the visibility and deletes', async () => {
  const QueueUrl = await queue('sqs-to-mns');
  await sqs.sendMessage({
    QueueUrl,
    MessageBody: 'héllo <&>',
    MessageAttributes: { text: { DataType: 'String', StringValue: 'a b' } },
  });
  const { body: got } = await mns.receiveMessage('sqs-to-mns', 5);
  assert.equal(got.MessageBody, 'héllo <&>');
  assert.equal(got.Priority, '8');
  assert.match(got.NextVisibleTime, /^\d{13}$/);
  const { body: changed } = await mns.changeMessageVisibility('sqs-to-mns', got.ReceiptHandle, 600);
  assert.ok(Number(changed.NextVisibleTime) > Number(got.NextVisibleTime));
  await assert.rejects(mns.deleteMessage('sqs-to-mns', got.ReceiptHandle), { name: 'MNSMessageNotExistError' });
  const { code } = await mns.deleteMessage('sqs-to-mns', changed.ReceiptHandle);
  assert.equal(code, 204);
  await assert.rejects(mns.receiveMessage('sqs-to-mns', 1), { name: 'MNSMessageNotExistError' });
});

test('MNS sends, SQS receives, changes the visibility and deletes', async () => {
  await mns.createQueue('mns-to-sqs', { VisibilityTimeout: 60 });
  await mns.sendMessage('mns-to-sqs', { MessageBody: 'late', Priority: 1, DelaySeconds: 1 });
  const { QueueUrl } = await sqs.getQueueUrl({ QueueName: 'mns-to-sqs' });
  const received = await sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 10, MessageSystemAttributeNames: ['All'] });
  const [got] = received.Messages;
  assert.equal(got.Body, 'late');
  await sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle: got.ReceiptHandle, VisibilityTimeout: 0 });
  const [again] = (await sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 5 })).Messages;
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: again.ReceiptHandle });
  assert.equal((await sqs.receiveMessage({ QueueUrl })).Messages, undefined);
});

test('batches cross', async () => {
  const QueueUrl = await queue('batches');
  await sqs.sendMessageBatch({
    QueueUrl,
    Entries: Array.from({ length: 10 }, (_, i) => ({ Id: String(i), MessageBody: `s${i}` })),
  });
  const { body: got } = await mns.batchReceiveMessage('batches', 16, 5);
  assert.deepEqual(got.map((m) => m.MessageBody).sort(), Array.from({ length: 10 }, (_, i) => `s${i}`));
  await mns.batchDeleteMessage('batches', got.map((m) => m.ReceiptHandle));
  await mns.batchSendMessage('batches', [{ MessageBody: 'm1' }, { MessageBody: 'm2' }]);
  const { Messages } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 });
  assert.deepEqual(Messages.map((m) => m.Body).sort(), ['m1', 'm2']);
});

test('errors have the types of their SDK', async () => {
  const QueueUrl = await queue('errors');
  await assert.rejects(sqs.getQueueUrl({ QueueName: 'gone' }), QueueDoesNotExist);
  await assert.rejects(sqs.deleteMessage({ QueueUrl, ReceiptHandle: 'nonsense' }), ReceiptHandleIsInvalid);
  await assert.rejects(queue('errors', { VisibilityTimeout: '1' }), QueueNameExists);
  await assert.rejects(mns.sendMessage('gone', { MessageBody: 'm' }), { name: 'MNSQueueNotExistError' });
  await assert.rejects(mns.deleteMessage('errors', 'nonsense'), { name: 'MNSReceiptHandleErrorError' });
});

test('an explicit zero is not the default', async () => {
  const QueueUrl = await queue('zero', { DelaySeconds: '900', VisibilityTimeout: '900' });
  await sqs.sendMessage({ QueueUrl, MessageBody: 'now', DelaySeconds: 0 });
  for (let i = 0; i < 2; i++) {
    const { Messages } = await sqs.receiveMessage({ QueueUrl, VisibilityTimeout: 0 });
    assert.equal(Messages?.[0].Body, 'now');
  }
});

test('messages survive a kill', async () => {
  const QueueUrl = await queue('kept');
  await sqs.sendMessage({ QueueUrl, MessageBody: 'kept' });
  await stop('SIGKILL');
  await start(url.replace('http://', ''));
  const { body } = await mns.receiveMessage('kept', 5);
  assert.equal(body.MessageBody, 'kept');
});
