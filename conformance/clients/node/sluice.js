'use strict';

// A helper for tests of programs that work with queues, for node:test, vitest and jest alike:
//
//     const { startSluice } = require('./sluice');
//     let sluice;
//     beforeAll(async () => { sluice = await startSluice(); });   // before(...) in node:test
//     afterAll(() => sluice.stop());                              // after(...)
//     test('…', async () => { const sqs = new SQS(sluice.options()); … });
//
// Each call of options() has an account of its own: tests do not see each other's queues, in whatever worker they run.
// SLUICE_URL (and SLUICE_ADMIN) name a server that runs already, with --account-per-key; otherwise one is started, from
// the program that SLUICE_BINARY names or the one called sluice.

const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { once } = require('node:events');
const { createInterface } = require('node:readline');

class Sluice {
  constructor(url, admin, process) {
    Object.assign(this, { url, admin, process });
  }

  // What the constructors of the AWS SDK take.
  options() {
    return {
      endpoint: this.url,
      region: 'us-east-1',
      credentials: { accessKeyId: `SLUICE${randomUUID()}`, secretAccessKey: 'any' },
    };
  }

  // Calls the control API.
  async call(method, path, body) {
    const answer = await fetch(this.admin + path, {
      method,
      body: body && JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text && JSON.parse(text);
  }

  // Moves the time of the server forward. It is everybody's time: not for a server that is shared.
  advance(seconds) {
    return this.call('POST', '/api/v1/clock/advance', { by: seconds });
  }

  // Makes something go wrong, such as fault('busy', { kind: 'throttle', operation: 'Send*', count: 2 }).
  fault(name, rule) {
    return this.call('PUT', `/api/v1/faults/${name}`, rule);
  }

  clearFaults() {
    return this.call('DELETE', '/api/v1/faults');
  }

  async stop() {
    if (!this.process) return;
    const ended = once(this.process, 'exit');
    this.process.kill();
    await ended;
  }
}

async function startSluice() {
  if (process.env.SLUICE_URL) return new Sluice(process.env.SLUICE_URL, process.env.SLUICE_ADMIN);
  const args = ['serve', '--data', 'memory', '--account-per-key', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
  const child = spawn(process.env.SLUICE_BINARY || 'sluice', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const addresses = [];
  for await (const line of createInterface({ input: child.stdout })) {
    addresses.push(line.split(' ').pop());
    if (addresses.length === 2) return new Sluice(...addresses, child);
  }
  throw new Error('sluice has ended');
}

module.exports = { Sluice, startSluice };
