// The example with the AI SDK, against a service of the test's own on this machine.
'use strict';
const assert = require('node:assert');
const http = require('node:http');
const test = require('node:test');
const { Manager } = require('./index.js');
const { fittingFetch } = require('./examples/fitting_fetch.js');

const history = [{ role: 'system', content: 'You look after a harbour.' }];
for (let day = 1; day < 200; ++day) {
  history.push({ role: 'user', content: `Day ${day}: who came in?` });
  history.push({ role: 'assistant', content: `Ship ${day * 37} came in at berth ${day % 9}.` });
}
history.push({ role: 'user', content: 'At which berth was ship 1554?' });

/** A service that keeps the bodies it was sent, and answers each with one word. */
async function service() {
  const bodies = [];
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    bodies.push(JSON.parse(text));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'a', object: 'chat.completion', created: 0, model: 'gpt-5.6',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Six.' } }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return { bodies, baseURL: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

function checkFitted(manager, body) {
  assert.ok(body.messages.length < 20, `${body.messages.length} messages were sent`);
  assert.match(JSON.stringify(body.messages), /Ship 1554 came in at berth 6/);
  assert.ok(manager.count(JSON.stringify(body.messages), 'gpt-5.6') < 1000);
}

test('a fetch sends chat requests that fit, and everything else as it is', async () => {
  const manager = new Manager();
  const sent = [];
  const fetch = fittingFetch(manager, { max_input_tokens: 400 }, async (url, init) => sent.push([url, init]));
  await fetch('x/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'gpt-5.6', messages: history }) });
  await fetch('x/models', { method: 'GET' });
  checkFitted(manager, JSON.parse(sent[0][1].body));
  assert.deepStrictEqual(sent[1], ['x/models', { method: 'GET' }]);
  manager.close();
});

test('the AI SDK sends what fits', async (context) => {
  let generateText, createOpenAICompatible;
  try {
    ({ generateText } = await import('ai'));
    ({ createOpenAICompatible } = await import('@ai-sdk/openai-compatible'));
  } catch {
    return context.skip('the packages ai and @ai-sdk/openai-compatible are not there');
  }
  const { bodies, baseURL, close } = await service();
  const manager = new Manager();
  const provider = createOpenAICompatible({ name: 'x', baseURL, fetch: fittingFetch(manager, { max_input_tokens: 400 }) });
  const [system, ...messages] = history;
  const { text } = await generateText({ model: provider('gpt-5.6'), system: system.content, messages });
  assert.strictEqual(text, 'Six.');
  checkFitted(manager, bodies[0]);
  manager.close();
  close();
});
