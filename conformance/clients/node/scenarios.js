'use strict';

// Runs the scenarios that all languages share with @aws-sdk/client-sqs, against SLUICE_URL.

const { randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { isDeepStrictEqual, inspect } = require('node:util');

const { SQS, SQSServiceException, ...sdk } = require('@aws-sdk/client-sqs');

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

// What stands at a path, undefined if nothing does. What has dots itself stands in brackets.
function at(value, where) {
  for (const [, bracketed, plain] of where.matchAll(/\[([^\]]*)\]|([^.[]+)/g)) {
    value = value?.[bracketed ?? plain];
  }
  return value ?? undefined;
}

const shown = (value) => inspect(value, { depth: 6, breakLength: Infinity }).slice(0, 500);

function need(holds, text) {
  if (!holds) throw new Error(text);
}

// One run of a scenario.
class Player {
  saved = {
    unique: randomBytes(10).toString('hex'),
    kilobyte: 'a'.repeat(1024),
    megabyte: 'a'.repeat(1048576),
  };

  // Replaces variables, and base64 by its bytes.
  fill(value) {
    if (typeof value === 'string') {
      return value.replace(/\$\{(\w+)\}/g, (variable, name) => {
        need(name in this.saved, `${variable} is not saved yet`);
        return this.saved[name];
      });
    }
    if (Array.isArray(value)) return value.map((v) => this.fill(v));
    if (value === null || typeof value !== 'object') return value;
    if ('$base64' in value) return new Uint8Array(Buffer.from(value.$base64, 'base64'));
    return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, this.fill(v)]));
  }

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
    for (const [name, where] of Object.entries(step.save ?? {})) {
      need(at(answer, where) !== undefined, `there is no ${where} in ${shown(answer)}`);
      this.saved[name] = at(answer, where);
    }
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

  checkAnswer({ expect, same, differs, count, absent }, answer) {
    for (const [where, want] of Object.entries({ ...expect, ...same })) {
      const got = at(answer, where) instanceof Uint8Array ? new Uint8Array(at(answer, where)) : at(answer, where);
      need(isDeepStrictEqual(got, this.fill(want)), `${where} = ${shown(got)}, want ${shown(this.fill(want))}`);
    }
    for (const [where, other] of Object.entries(differs ?? {})) {
      const got = at(answer, where);
      need(got !== undefined && got !== this.fill(other), `${where} = ${shown(got)}, want another value`);
    }
    for (const [where, want] of Object.entries(count ?? {})) {
      const n = Object.keys(at(answer, where) ?? {}).length;
      need(n === want, `${where} has ${n}, want ${want}, in ${shown(answer)}`);
    }
    for (const where of absent ?? []) {
      need(at(answer, where) === undefined, `${where} = ${shown(at(answer, where))}, want nothing`);
    }
  }
}

// What went wrong in a scenario, undefined if nothing did.
async function play({ steps }) {
  const player = new Player();
  for (const [i, step] of steps.entries()) {
    try {
      await player.step(step);
    } catch (failed) {
      return `step ${i + 1}, ${step.call}: ${failed.name}: ${failed.message}`;
    }
  }
}

async function main() {
  const file = path.join(__dirname, '..', 'scenarios', 'sqs.json');
  const { scenarios } = JSON.parse(readFileSync(file, 'utf8'));
  const due = scenarios.filter(({ protocols }) => !protocols || protocols.includes('json'));
  const queue = due.filter(({ name }) => !(name in leftOut));
  const results = new Map();
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results.set(next.name, await play(next));
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  let failed = 0;
  for (const { name } of due) {
    if (name in leftOut) {
      console.log(`left out ${name}: ${leftOut[name]}`);
    } else if (results.get(name) === undefined) {
      console.log(`ok ${name}`);
    } else {
      failed++;
      console.log(`FAILED ${name}: ${results.get(name)}`);
    }
  }
  console.log(`${results.size - failed} passed, ${failed} failed`);
  const complete = results.size + Object.keys(leftOut).length === due.length;
  process.exitCode = failed || !complete ? 1 : 0;
  sqs.destroy();
}

main();
