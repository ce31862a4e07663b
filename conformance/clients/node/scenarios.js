'use strict';

// Runs the scenarios that all languages share with @aws-sdk/client-sqs, against SLUICE_URL.

const { readFileSync } = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const { SQS, SQSServiceException, ...sdk } = require('@aws-sdk/client-sqs');

const player = require('./player');

const { need, shown } = player;

// What this SDK cannot send, and why.
const leftOut = {
  'host-of-a-queue-url-does-not-matter': 'this SDK sends the request to the host of the queue URL',
  'queue-url-without-a-queue': 'this SDK sends the request to the host of the queue URL',
};

const sqs = new SQS({
  endpoint: process.env.SLUICE_URL,
  region: 'us-east-1',
  credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  maxAttempts: 1,
  requestHandler: { httpAgent: new http.Agent({ keepAlive: true, maxSockets: 50 }) },
});

// One run of a scenario.
class Player extends player.Player {
  async step(step) {
    let answer;
    try {
      answer = await sqs[step.call[0].toLowerCase() + step.call.slice(1)](this.fill(step.with));
    } catch (failed) {
      if (!step.fails || !(failed instanceof SQSServiceException)) throw failed;
      this.checkFailure(step.fails, failed);
      return;
    }
    need(!step.fails, `succeeded with ${shown(answer)}, want it to fail`);
    this.checkAnswer(step, answer);
    this.save(step, answer);
  }

  checkFailure(want, failed) {
    const got = {
      error: failed.name,
      code: failed.Code ?? failed.Error?.Code,
      status: failed.$metadata.httpStatusCode,
      message: failed.message,
    };
    need(!want.error || failed instanceof sdk[want.error], `error = ${failed.name}, want the class ${want.error}`);
    for (const [name, value] of Object.entries(want)) {
      need(got[name] === this.fill(value), `${name} = ${shown(got[name])}, want ${shown(this.fill(value))}`);
    }
  }
}

async function main() {
  const file = path.join(__dirname, '..', 'scenarios', 'sqs.json');
  const { scenarios } = JSON.parse(readFileSync(file, 'utf8'));
  const due = scenarios.filter(({ protocols }) => !protocols || protocols.includes('json'));
  await player.playAll(due, leftOut, () => new Player());
  sqs.destroy();
}

main();
