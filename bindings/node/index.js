// ctxmgr for Node: the messages to send, within a token budget, with a receipt.
//
//   const { Manager } = require('ctxmgr');
//   const manager = new Manager();
//   const built = manager.build({ model: 'gpt-5.6', messages }, { max_input_tokens: 8000 });
//   await client.chat.completions.create(built.body);
//   state = built.thread_state;            // goes into the next build of the same conversation
//
// The library is found where CTXMGR_LIBRARY says, in the prefix that this package was installed from, or on the loader's path.
// docs/c-interface.md has the fields of requests and results. Calls block: a build takes milliseconds. prepareCompaction() asks a model, and is awaited.
// Plans by a model are made by hosts that wait for it: C++, Python.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const koffi = require('koffi');

/** In an installed prefix the library lies in lib, and this file in share/ctxmgr/node. npm copies the file into a project, and
 * its lock says from where. */
function folders() {
  const found = [__dirname];
  try {
    const lock = path.join(__dirname, '..', '.package-lock.json');
    const { resolved } = JSON.parse(fs.readFileSync(lock, 'utf8')).packages['node_modules/ctxmgr'];
    found.push(path.resolve(__dirname, '..', '..', resolved.replace(/^file:/, '')));
  } catch { /* not installed by npm from a folder */ }
  return found;
}

function load() {
  const ofPrefix = folders().map((folder) => path.join(folder, '..', '..', '..', 'lib', 'libctxmgr_c.so.1'));
  const names = [process.env.CTXMGR_LIBRARY, ...ofPrefix.filter(fs.existsSync), 'libctxmgr_c.so.1'].filter(Boolean);
  let problem;
  for (const name of names) {
    try {
      return koffi.load(name);
    } catch (thrown) {
      problem ??= thrown;
    }
  }
  throw new Error(`libctxmgr_c was not found; set CTXMGR_LIBRARY to its path (${problem.message})`);
}

const lib = load();
koffi.opaque('ctxmgr_manager');
koffi.opaque('ctxmgr_text');
koffi.opaque('ctxmgr_thread');
koffi.opaque('ctxmgr_preparation');

const explained = lib.func(
  'int32_t ctxmgr_explain(const char *metadata, size_t size, _Out_ ctxmgr_text **result, _Out_ ctxmgr_text **error)');
const codeName = lib.func('const char *ctxmgr_code_name(int32_t code)');
const libraryVersion = lib.func('const char *ctxmgr_version()');
const instructions = lib.func('const char *ctxmgr_tool_instructions()');
const textData = lib.func('const char *ctxmgr_text_data(const ctxmgr_text *text)');
const textFree = lib.func('void ctxmgr_text_free(ctxmgr_text *text)');
const create = lib.func(
  'int32_t ctxmgr_manager_create(const char *options, size_t size, void *callbacks, ' +
    '_Out_ ctxmgr_manager **manager, _Out_ ctxmgr_text **error)');
const destroy = lib.func('void ctxmgr_manager_destroy(ctxmgr_manager *manager)');
const count = lib.func(
  'int32_t ctxmgr_count(const ctxmgr_manager *manager, const char *model, size_t model_size, const char *text, ' +
    'size_t text_size, _Out_ int64_t *tokens, _Out_ ctxmgr_text **error)');
const calls = {};
for (const name of ['build', 'plan', 'tools', 'call_tool']) {
  calls[name] = lib.func(
    `int32_t ctxmgr_${name}(const ctxmgr_manager *manager, const char *request, size_t size, ` +
      '_Out_ ctxmgr_text **result, _Out_ ctxmgr_text **error)');
}

const createThread = lib.func(
  'int32_t ctxmgr_thread_create(const ctxmgr_manager *manager, _Out_ ctxmgr_thread **thread, _Out_ ctxmgr_text **error)');
const destroyThread = lib.func('void ctxmgr_thread_destroy(ctxmgr_thread *thread)');
const buildThread = lib.func(
  'int32_t ctxmgr_thread_build(ctxmgr_thread *thread, const char *request, size_t size, ' +
    '_Out_ ctxmgr_text **result, _Out_ ctxmgr_text **error)');

const starting = {};
for (const [name, of] of [['start_compaction', 'const ctxmgr_manager *manager'],
                          ['thread_start_compaction', 'ctxmgr_thread *thread']]) {
  starting[name] = lib.func(
    `int32_t ctxmgr_${name}(${of}, const char *request, size_t size, ` +
      '_Out_ ctxmgr_preparation **preparation, _Out_ ctxmgr_text **error)');
}
const nextCalls = lib.func(
  'int32_t ctxmgr_preparation_next(ctxmgr_preparation *preparation, _Out_ ctxmgr_text **result, _Out_ ctxmgr_text **error)');
const replyTo = lib.func(
  'int32_t ctxmgr_preparation_reply(ctxmgr_preparation *preparation, uint64_t id, int32_t code, const char *reply, ' +
    'size_t size, _Out_ ctxmgr_text **error)');
const destroyPreparation = lib.func('void ctxmgr_preparation_destroy(ctxmgr_preparation *preparation)');
const unavailable = 7;

/** A call failed. `code` is the name of the error's kind ('budget_exceeded'); docs/errors.md says what to do. */
class ContextError extends Error {
  constructor(code, message) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/** The bytes of a text of the library, which is freed. */
function take(text) {
  if (!text) return '';
  const copy = textData(text);
  textFree(text);
  return copy;
}

function check(code, error) {
  const message = take(error);
  if (code !== 0) throw new ContextError(codeName(code), message);
}

/** Makes the calls of a preparation, all that can be made at the same time; resolves to how many there were. */
async function answerCalls(name, of, request, complete) {
  const text = JSON.stringify(request);
  const started = [null], error = [null];
  check(starting[name](of, text, Buffer.byteLength(text), started, error), error[0]);
  const preparation = started[0];
  const answer = async (call) => {
    let code = 0, reply;
    try {
      reply = JSON.stringify(await complete(call.request)) ?? '';
    } catch (problem) {
      code = unavailable;
      reply = String(problem?.message ?? problem);
    }
    const wrong = [null];
    replyTo(preparation, call.id, code, reply, Buffer.byteLength(reply), wrong);
    take(wrong[0]);  // A reply that is none is a failed call: its summary is missing, no more.
  };
  let made = 0;
  try {
    for (;;) {
      const result = [null], wrong = [null];
      check(nextCalls(preparation, result, wrong), wrong[0]);
      const { calls, done } = JSON.parse(take(result[0]));
      if (done || calls.length === 0) return { calls: made };
      made += calls.length;
      await Promise.all(calls.map(answer));
    }
  } finally {
    destroyPreparation(preparation);
  }
}

/** Decides what a model sees. `options`: { store: 'memory' | 'sqlite:PATH', analysis_cache_bytes, … } */
class Manager {
  #manager = null;

  constructor(options = {}) {
    const text = JSON.stringify(options);
    const manager = [null], error = [null];
    check(create(text, Buffer.byteLength(text), null, manager, error), error[0]);
    this.#manager = manager[0];
  }

  /** Ends it. */
  close() {
    if (this.#manager) destroy(this.#manager);
    this.#manager = null;
  }

  /** Fits a request: { body, metadata, thread_state }. `options`: max_input_tokens, thread_state, session … */
  build(body, options = {}) {
    return this.#call('build', { ...options, body });
  }

  /** Makes the summaries that the next compaction of a thread will use: { calls }. Body and options are those of the build
   * before, with its thread_state and a scope or session. `complete`: a chat request in, a promise of a chat completion out. */
  async prepareCompaction(body, options, complete) {
    return answerCalls('start_compaction', this.#open(), { ...options, body }, complete);
  }

  /** A conversation that grows. `options`: those of build() for each one, and `thread_state` of an earlier process. Close
   * it before the manager. */
  thread(model = '', options = {}) {
    return new Thread(this.#open(), () => this.#open(), model, options);
  }

  /** The dry run: { plan, metadata, would_use_llm, … }. */
  plan(body, options = {}) {
    return this.#call('plan', { ...options, body });
  }

  /** Tokens of a text for a model. */
  count(text, model = '') {
    const tokens = [0], error = [null];
    check(count(this.#open(), model, Buffer.byteLength(model), text, Buffer.byteLength(text), tokens, error), error[0]);
    return Number(tokens[0]);
  }

  /** Definitions of the tools by which a model reads back what builds of a session left out. */
  tools(session, form = 'openai') {
    return this.#call('tools', { session, form });
  }

  /** Runs one of them: the tool's message. `agent`: who calls, where rules are by agent. ContextError 'not_found' where it
   * is no tool of ours. */
  callTool(session, name, args, id = '', agent = '') {
    return this.#call('call_tool', { session, name, arguments: args, id, agent });
  }

  #open() {
    if (!this.#manager) throw new ContextError('invalid_argument', 'the manager is closed');
    return this.#manager;
  }

  #call(name, request) {
    const text = JSON.stringify(request);
    const result = [null], error = [null];
    check(calls[name](this.#open(), text, Buffer.byteLength(text), result, error), error[0]);
    return JSON.parse(take(result[0]));
  }
}

/** A conversation that grows: build(messages) takes all of it, and hands the library what is new. A message that has
 * been changed, or taken out, is seen, and so is everything behind it. */
class Thread {
  #thread = null;
  #check;
  #model;
  #options;
  #seen = [];
  state;

  constructor(manager, check_, model, options) {
    const { thread_state: state = '', ...rest } = options;
    const thread = [null], error = [null];
    check(createThread(manager, thread, error), error[0]);
    this.#thread = thread[0];
    this.#check = check_;
    this.#model = model;
    this.#options = rest;
    this.state = state;
  }

  /** Ends it, before the manager ends. */
  close() {
    if (this.#thread) destroyThread(this.#thread);
    this.#thread = null;
  }

  /** The request to send, fitted: { body, metadata, thread_state }. `body`: its other fields (tools …). */
  build(messages, body = {}, options = {}) {
    if (!this.#thread) throw new ContextError('invalid_argument', 'the thread is closed');
    this.#check();
    let keep = 0;
    while (keep < this.#seen.length && keep < messages.length && isDeepStrictEqual(this.#seen[keep], messages[keep])) ++keep;
    const added = messages.slice(keep);
    const request = { ...this.#options, ...options, keep };
    request.body = { ...(this.#model ? { model: this.#model } : {}), ...body, messages: added };
    if (this.#seen.length === 0 && this.state) request.thread_state = this.state;
    const text = JSON.stringify(request);
    const result = [null], error = [null];
    check(buildThread(this.#thread, text, Buffer.byteLength(text), result, error), error[0]);
    const built = JSON.parse(take(result[0]));
    this.#seen.splice(keep, this.#seen.length, ...structuredClone(added));
    this.state = built.thread_state;
    return built;
  }

  /** Manager.prepareCompaction() of what was built last. Builds may go on meanwhile. */
  async prepareCompaction(complete, body = {}, options = {}) {
    if (!this.#thread) throw new ContextError('invalid_argument', 'the thread is closed');
    this.#check();
    const request = { ...this.#options, ...options, body: { ...(this.#model ? { model: this.#model } : {}), ...body } };
    return answerCalls('thread_start_compaction', this.#thread, request, complete);
  }
}

/** A receipt as a table for people: `metadata` of a result in; what was sent and what was left out, and why, out. */
function explain(metadata) {
  const text = JSON.stringify(metadata);
  const result = [null], error = [null];
  check(explained(text, Buffer.byteLength(text), result, error), error[0]);
  return take(result[0]);
}

module.exports = {
  ContextError,
  Manager,
  Thread,
  explain,
  /** For the system prompt: when and how a model uses the tools of Manager.tools(). */
  toolInstructions: () => instructions(),
  version: () => libraryVersion(),
};
