// Run with CTXMGR_LIBRARY set, or the library installed: npm install && npm test
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { ContextError, Manager, explain, toolInstructions, version } = require('./index.js');

function chat(turns) {
  const messages = [{ role: 'system', content: 'Be brief.' }];
  for (let i = 0; i < turns; ++i) {
    messages.push({ role: 'user', content: `Tell me about topic ${i}, please, in some detail.` });
    messages.push({ role: 'assistant', content: `Topic ${i} has the code K${i * 7}. Ünïcode 東京.` });
  }
  messages.push({ role: 'user', content: 'Which code has topic 3?' });
  return { model: 'gpt-4o', messages };
}

test('a request fits its budget', () => {
  const manager = new Manager();
  const built = manager.build(chat(40), { max_input_tokens: 400 });
  assert.ok(built.metadata.input_tokens_used <= 400);
  assert.match(JSON.stringify(built.body.messages), /K21/);
  manager.build(chat(41), { max_input_tokens: 400, thread_state: built.thread_state });
  manager.close();
});

test('a receipt is explained', () => {
  const manager = new Manager();
  const built = manager.build(chat(40), { max_input_tokens: 400 });
  assert.match(explain(built.metadata), /of 400 tokens/);
  assert.throws(() => explain(['no receipt']), ContextError);
  manager.close();
});

test('errors have a code', () => {
  const manager = new Manager();
  assert.throws(() => manager.build(chat(1), { max_input_tokens: 3 }),
    (error) => error instanceof ContextError && error.code === 'budget_exceeded');
  manager.close();
  assert.throws(() => manager.count('closed'), ContextError);
  assert.throws(() => new Manager({ store: 'ftp:x' }), ContextError);
});

test('counts are exact', () => {
  const manager = new Manager();
  assert.strictEqual(manager.count('hello world', 'gpt-4o'), 2);
  assert.ok(version());
  manager.close();
});

test('a thread gives what the whole gives, and takes what is new', () => {
  const manager = new Manager();
  const thread = manager.thread('gpt-4o', { max_input_tokens: 400 });
  let state = {};
  for (let turns = 1; turns < 40; turns += 3) {
    const whole = manager.build(chat(turns), { max_input_tokens: 400, ...state });
    assert.deepStrictEqual(thread.build(chat(turns).messages).body, whole.body);
    state = { thread_state: whole.thread_state };
  }
  const messages = chat(2).messages;
  const sent = thread.build(messages, { temperature: 0 }).body;
  assert.strictEqual(sent.temperature, 0);
  messages[1].content = 'Changed in place.';
  assert.match(JSON.stringify(thread.build(messages).body), /Changed in place/);
  thread.close();
  assert.throws(() => thread.build(messages), ContextError);
  manager.close();
});

/** An agent of 90 steps: [compactions, those with a summary, most tokens, calls]. */
async function replay(prepares) {
  const manager = new Manager();
  const thread = manager.thread('gpt-5.6', { max_input_tokens: 8000, scope: 's' });
  const messages = [{ role: 'user', content: 'Mend the fees, one module after the other.' }];
  const figures = [0, 0, 0, 0];
  const complete = async () => {
    ++figures[3];
    return { choices: [{ message: { role: 'assistant', content: 'They saw a file and went on.' } }] };
  };
  for (let step = 0; step < 90; ++step) {
    const call = { id: `c${step}`, type: 'function', function: { name: 'read', arguments: `{"file":${step}}` } };
    const lines = Array.from({ length: 20 }, (_, i) => `Line ${i} of file_${step} says nothing of value.\n`);
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: call.id, content: lines.join('') });
    const built = thread.build(messages);
    const compacted = 'compaction' in built.metadata;
    figures[0] += compacted;
    figures[1] += compacted && JSON.stringify(built.body.messages).includes('summary of [');
    figures[2] = Math.max(figures[2], built.metadata.input_tokens_used);
    if (prepares) await thread.prepareCompaction(complete);
  }
  thread.close();
  manager.close();
  return figures;
}

test('summaries are made before a compaction, which uses them', async () => {
  const [compactions, summaries, most, calls] = await replay(true);
  assert.ok(compactions > 1 && calls > 0);
  assert.strictEqual(summaries, compactions);
  assert.ok(most <= 8000);
  const [others, none] = await replay(false);
  assert.ok(others > 1);
  assert.strictEqual(none, 0);
});

test('a model that fails leaves names in the place of summaries', async () => {
  const manager = new Manager();
  const body = chat(200);
  const options = { max_input_tokens: 4000, scope: 's' };
  const built = manager.build(body, options);
  const down = async () => { throw new Error('down'); };
  await manager.prepareCompaction(body, { ...options, thread_state: built.thread_state }, down);
  await assert.rejects(manager.prepareCompaction(body, { ...options, scop: '' }, down), ContextError);
  manager.close();
});

test('what was left out is read back', () => {
  const page = Array.from({ length: 2000 }, (_, i) => `Line ${i} of the page says nothing of interest.\n`).join('');
  const body = { ...chat(1), attachments: [{ id: 'page', content: page + 'The gate is purple.' }] };
  const manager = new Manager();
  const text = JSON.stringify(manager.build(body, { max_input_tokens: 2000, session: 's1' }).body.messages);
  const key = text.slice(text.indexOf('artifact:'), text.indexOf('artifact:') + 25);
  assert.ok(manager.tools('s1').length > 0);
  assert.match(toolInstructions(), /get_context.*search_context.*set_context/);
  assert.match(JSON.stringify(manager.callTool('s1', 'get_context', { key })), /Line 0 of/);
  assert.throws(() => manager.callTool('s1', 'rm', {}), ContextError);
  manager.close();
});
