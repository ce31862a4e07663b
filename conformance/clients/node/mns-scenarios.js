'use strict';

// Runs the scenarios that all SDKs of MNS share with @alicloud/mns, against SLUICE_URL.

const { createVerify } = require('node:crypto');
const { readFileSync } = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const MNS = require('@alicloud/mns');
const { toXMLBuffer } = require('@alicloud/mns/lib/helper');

const { Player, need, playAll, shown } = require('./player');

const { keys, scenarios } = JSON.parse(readFileSync(path.join(__dirname, '..', 'scenarios', 'mns.json'), 'utf8'));

// What this SDK cannot send, and why.
const leftOut = {};

// This SDK puts texts into XML as they are.
const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);

const property = (name, { Type, Value }, element) =>
  `<${element}><Name>${name}</Name><Value>${escaped(Value)}</Value><Type>${Type}</Type></${element}>`;

function properties(values, element) {
  return Object.entries(values).map(([name, value]) => property(name, value, element)).join('');
}

// The elements of a message.
function message({ Queue, Topic, UserProperties, SystemProperties, ...elements }) {
  for (const [name, text] of Object.entries(elements)) elements[name] = escaped(text);
  if (UserProperties) elements.UserProperties = properties(UserProperties, 'PropertyValue');
  if (SystemProperties) {
    const typed = Object.entries(SystemProperties).map(([name, Value]) => [name, { Type: 'STRING', Value }]);
    elements.SystemProperties = properties(Object.fromEntries(typed), 'SystemPropertyValue');
  }
  return elements;
}

// A message as this SDK gives it, with its properties by name.
function received({ UserProperties, SystemProperties, ...texts }) {
  for (const { Name, Type, Value } of UserProperties?.[0].PropertyValue ?? []) {
    texts.UserProperties = { ...texts.UserProperties, [Name]: { Type, Value } };
  }
  for (const { Name, Value } of SystemProperties?.[0].SystemPropertyValue ?? []) {
    texts.SystemProperties = { ...texts.SystemProperties, [Name]: Value };
  }
  return texts;
}

function listed(body, entry, address) {
  const urls = (body[entry] ?? []).map((item) => item[address].split('/').pop());
  return { [`${entry}s`]: urls, NextMarker: body.NextMarker };
}

const page = ({ Prefix, Number, Marker }) => ({
  headers: { 'x-mns-prefix': Prefix, 'x-mns-ret-number': Number, ...(Marker && { 'x-mns-marker': Marker }) },
});

const settings = ({ Queue, Topic, Subscription, ...elements }) => elements;
const location = ({ headers }) => ({ Location: headers.location });
const at = ({ Topic, Subscription }) => `/topics/${Topic}/subscriptions/${Subscription}`;

// The operations of the API by name, in terms of the SDK. It has no functions for some of them, and its lists forget
// the marker; those go through its functions for methods, which sign and read all the same.
const operations = {
  CreateQueue: async (mns, w) => location(await mns.createQueue(w.Queue, settings(w))),
  SetQueueAttributes: (mns, w) => mns.setQueueAttributes(w.Queue, settings(w)),
  GetQueueAttributes: async (mns, w) => (await mns.getQueueAttributes(w.Queue)).body,
  DeleteQueue: (mns, w) => mns.deleteQueue(w.Queue),
  ListQueue: async (mns, w) => listed((await mns.get('/queues', 'Queues', page(w))).body, 'Queue', 'QueueURL'),
  SendMessage: async (mns, w) => (await mns.sendMessage(w.Queue, message(w))).body,
  BatchSendMessage: async (mns, w) => ({ Messages: (await mns.batchSendMessage(w.Queue, w.Messages.map(message))).body }),
  ReceiveMessage: async (mns, w) => received((await mns.receiveMessage(w.Queue, w.WaitSeconds)).body),
  BatchReceiveMessage: async (mns, w) => {
    const { body } = await mns.batchReceiveMessage(w.Queue, w.NumOfMessages, w.WaitSeconds);
    return { Messages: body.map(received) };
  },
  PeekMessage: async (mns, w) => received((await mns.peekMessage(w.Queue)).body),
  BatchPeekMessage: async (mns, w) => ({ Messages: (await mns.batchPeekMessage(w.Queue, w.NumOfMessages)).body }),
  DeleteMessage: (mns, w) => mns.deleteMessage(w.Queue, w.ReceiptHandle),
  BatchDeleteMessage: async (mns, w) => ({ Errors: (await mns.batchDeleteMessage(w.Queue, w.ReceiptHandles)).body }),
  ChangeMessageVisibility: async (mns, w) =>
    (await mns.changeMessageVisibility(w.Queue, w.ReceiptHandle, w.VisibilityTimeout)).body,
  CreateTopic: async (mns, w) => location(await mns.createTopic(w.Topic, settings(w))),
  SetTopicAttributes: (mns, w) => mns.setTopicAttributes(w.Topic, settings(w)),
  GetTopicAttributes: async (mns, w) => (await mns.getTopicAttributes(w.Topic)).body,
  DeleteTopic: (mns, w) => mns.delete(`/topics/${w.Topic}`, 'Topic', ''),
  ListTopic: async (mns, w) => listed((await mns.get('/topics', 'Topics', page(w))).body, 'Topic', 'TopicURL'),
  PublishMessage: async (mns, w) => (await mns.publishMessage(w.Topic, message(w))).body,
  Subscribe: (mns, w) => mns.put(at(w), 'Subscription', toXMLBuffer('Subscription', settings(w))),
  SetSubscriptionAttributes: (mns, w) =>
    mns.put(`${at(w)}?metaoverride=true`, 'Subscription', toXMLBuffer('Subscription', settings(w))),
  GetSubscriptionAttributes: async (mns, w) => (await mns.get(at(w), 'Subscription')).body,
  Unsubscribe: (mns, w) => mns.delete(at(w), 'Subscription', ''),
  ListSubscriptionByTopic: async (mns, w) =>
    listed((await mns.get(`/topics/${w.Topic}/subscriptions`, 'Subscriptions')).body, 'Subscription', 'SubscriptionURL'),
  SetAccountAttributes: (mns, w) => mns.put('/?accountmeta=true', 'Account', toXMLBuffer('Account', w)),
  GetAccountAttributes: async (mns) => (await mns.get('/?accountmeta=true', 'Account')).body,
  OpenService: async (mns) => (await mns.post('/commonbuy/openservice', 'OpenService', '')).body,
};

// An HTTP server that topics push to.
class Receiver {
  pushes = [];
  waiting = [];

  async start(statuses) {
    this.server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const push = { method: request.method, resource: request.url, headers: request.headers, body };
      response.writeHead(Number(statuses.shift() ?? 204)).end();
      if (this.waiting.length) this.waiting.shift()(push);
      else this.pushes.push(push);
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return { Endpoint: `http://127.0.0.1:${this.server.address().port}` };
  }

  async next() {
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error('no push came')), 15_000).unref());
    const push = this.pushes.shift() ?? (await Promise.race([new Promise((resolve) => this.waiting.push(resolve)), late]));
    const { method, resource, headers, body } = push;
    return {
      Method: method,
      Resource: resource,
      Body: body,
      ContentType: headers['content-type'],
      MessageId: headers['x-mns-message-id'],
      MessageTag: headers['x-mns-message-tag'],
      TopicName: headers['x-mns-topic-name'],
      SubscriptionName: headers['x-mns-subscription-name'],
      Signature: await signature(push),
    };
  }

  end() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

// Whether a push is signed as the provider's reference says. The SDK has no code for it.
async function signature({ method, resource, headers }) {
  const own = Object.keys(headers).filter((name) => name.startsWith('x-mns-')).sort();
  const lines = own.map((name) => `${name}:${headers[name]}\n`).join('');
  const { 'content-md5': md5 = '', 'content-type': type = '', date } = headers;
  const certificate = await fetch(Buffer.from(headers['x-mns-signing-cert-url'], 'base64').toString());
  const verify = createVerify('RSA-SHA1').update(`${method}\n${md5}\n${type}\n${date}\n${lines}${resource}`);
  return verify.verify(await certificate.text(), headers.authorization, 'base64') ? 'good' : 'bad';
}

class MNSPlayer extends Player {
  clients = {};

  client(key) {
    const { id, secret, token } = keys[key];
    this.clients[key] ??= new MNS('1234567890123456', {
      endpoint: process.env.SLUICE_URL,
      accessKeyId: id,
      accessKeySecret: secret,
      securityToken: token,
    });
    return this.clients[key];
  }

  call({ call, with: w = {}, as = 'permanent' }) {
    const filled = this.fill(w);
    if (call === 'NextPush') return this.receiver.next();
    if (call !== 'Listen') return operations[call](this.client(as), filled);
    this.receiver = new Receiver();
    return this.receiver.start(filled.Statuses ?? []);
  }

  async step(step) {
    let answer;
    try {
      answer = await this.call(step);
    } catch (failed) {
      const [, code] = failed.name.match(/^MNS(.+)Error$/) ?? [];
      if (!code || !step.fails) throw failed;
      const got = `${code}: ${failed.message.split(', message: ')[1]}`;
      const want = `${step.fails.code}: ${this.fill(step.fails.message)}`;
      need(got === want, `failed with ${got}, want ${want}`);
      return;
    }
    need(!step.fails, `succeeded with ${shown(answer)}, want it to fail`);
    this.checkAnswer(step, answer);
    this.save(step, answer);
  }

  end() {
    this.receiver?.end();
  }
}

playAll(scenarios, leftOut, () => new MNSPlayer());
