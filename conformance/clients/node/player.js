'use strict';

// What the scenarios of both providers have in common: variables, what an answer is compared with, and the report.

const { randomBytes } = require('node:crypto');
const { isDeepStrictEqual, inspect } = require('node:util');

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

  checkAnswer({ expect, same, differs, count, absent, matches }, answer) {
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
    for (const [where, pattern] of Object.entries(matches ?? {})) {
      const got = at(answer, where);
      need(new RegExp(this.fill(pattern)).test(got ?? ''), `${where} = ${shown(got)}, want ${this.fill(pattern)}`);
    }
  }

  save({ save }, answer) {
    for (const [name, where] of Object.entries(save ?? {})) {
      need(at(answer, where) !== undefined, `there is no ${where} in ${shown(answer)}`);
      this.saved[name] = at(answer, where);
    }
  }
}

// What went wrong in a scenario, undefined if nothing did.
async function play({ steps }, player) {
  for (const [i, step] of steps.entries()) {
    try {
      await player.step(step);
    } catch (failed) {
      return `step ${i + 1}, ${step.call}: ${failed.name}: ${failed.message}`;
    }
  }
}

// Plays the scenarios that are due with new players, some at a time, and sets the status of the process.
async function playAll(due, leftOut, newPlayer) {
  const queue = due.filter(({ name }) => !(name in leftOut));
  const results = new Map();
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const player = newPlayer();
      results.set(next.name, await play(next, player));
      player.end?.();
    }
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
}

module.exports = { Player, need, playAll, shown };
