// A scripted service in three forms: OpenAI's Chat Completions and Responses, and Anthropic's Messages. It has no memory of the
// conversation but what a request brings: it calls the tools that are offered, with arguments by their schema, and answers the
// question from the body in which it is asked. What a request lacks is a failure of the run.
import http from "node:http";
import { checksOf, needle, tokensOf } from "./checks.mjs";

/// What the user says, one after the other, and at which request the model says words in place of calls. The request that is
/// `asked_at` has to hold what the question asks for, which the agent read in the third record.
const asks_at_the_end = {
  words: ["Read the records of the berths one after the other, until I ask you something.",
          "What is the gate code of berth 7? Read on in the records if you have to, then answer."],
  pauses_at: 24, asked_at: 25, steps: 30,
};
const asks_at_the_beginning = {
  words: ["What is the gate code of berth 7? Read the records of the berths from 1 to 25, one after the other, then answer."],
  asked_at: 26, steps: 26,
};
export const conversations = { end: asks_at_the_end, first: asks_at_the_beginning };
export const record = (number) => `records/berths-${number}.md`;

const searched = "TaskCreate";  // Of Claude Code.

const reads = (tool) => ["path", "file_path", "filePath", "absolute_path"].find((name) => tool.schema?.properties?.[name]);
const runs = (tool) => ["cmd", "command"].find((name) => tool.schema?.properties?.[name]);

/// Tools of a request in one form: name and schema of their arguments.
function toolsOf(form, body) {
  return (body.tools ?? []).flatMap((tool) => {
    if (form === "chat") return [{ name: tool.function.name, schema: tool.function.parameters }];
    if (form === "messages") return tool.input_schema ? [{ name: tool.name, schema: tool.input_schema }] : [];
    return tool.type === "function" ? [{ name: tool.name, schema: tool.parameters }] : [];
  });
}

/// How a tool reads a file: its arguments; nothing where it does not.
function reading(tool, folder, path) {
  const fields = tool.schema?.properties ?? {};
  const asked = {};
  for (const name of tool.schema?.required ?? []) {
    if (fields[name]?.type === "boolean") asked[name] = false;
    else if (fields[name]?.type === "number" || fields[name]?.type === "integer") asked[name] = 1;
    else asked[name] = fields[name]?.enum?.[0] ?? "Reads a record";
  }
  if (/^(read|read_file|view)$/i.test(tool.name) && reads(tool)) {
    const whole = folder ? `${folder}/${path}` : path;
    return { ...asked, [reads(tool)]: whole, ...("offset" in asked && { offset: 0 }), ...("limit" in asked && { limit: 2000 }) };
  }
  if (/^(bash|shell|shell_command|exec_command|run_shell_command)$/i.test(tool.name) && runs(tool)) {
    const command = fields[runs(tool)].type === "array" ? ["bash", "-c", `cat ${path}`] : `cat ${path}`;
    return { ...asked, [runs(tool)]: command };
  }
}

export class Service {
  requests = [];  // Of the main conversation, the proxy's own rounds with them.
  failures = [];
  step = 0;
  answered = false;
  searches = 0;

  constructor({ folder, budget, isExact, conversation, parallel = true }) {
    Object.assign(this, { folder, budget, isExact, conversation, parallel });
    this.server = http.createServer((request, response) => this.take(request, response));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  async take(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const path = request.url.split("?")[0];
    const form = { "/v1/chat/completions": "chat", "/v1/messages": "messages", "/v1/responses": "responses" }[path];
    if (!form || request.method !== "POST") return this.other(path, request, response);
    const text = Buffer.concat(pieces).toString();
    try {
      const body = JSON.parse(text);
      this.send(form, body, this.answer(form, body, text), response);
    } catch (error) {
      this.failures.push(`${path}: ${error.stack}`);
      response.writeHead(500).end();
    }
  }

  other(path, request, response) {
    const models = path.endsWith("/models") && { object: "list", data: [{ id: "gpt-4o", object: "model" }], models: [] };
    const counts = path.endsWith("/count_tokens") && { input_tokens: 1000 };
    response.writeHead(models || counts ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(models || counts || { error: { message: "no such path" } }));
  }

  fail(why) {
    this.failures.push(`request ${this.requests.length}, step ${this.step}: ${why}`);
  }

  /// What the model says: calls, or words.
  answer(form, body, text) {
    const tools = toolsOf(form, body);
    const reader = tools.find((tool) => reading(tool, this.folder, ""));
    const searches = tools.some((tool) => tool.name === "search_tools");
    if (!reader && !searches) return { words: "Records of berths" };  // A title, a topic: not of the conversation.
    this.requests.push({ form, body, text, step: this.step + 1 });
    for (const problem of checksOf(form, body, this.budget, this.isExact)) this.fail(problem);
    if (!reader) {
      if (++this.searches > 5) this.fail("five searches found no tool that reads");
      return { calls: [{ name: "search_tools", input: { query: "read a file, run a shell command" } }] };
    }
    ++this.step;
    const { words, pauses_at = Infinity, asked_at, steps } = this.conversation;
    if (!text.includes(this.step > pauses_at ? words.at(-1) : words[0])) this.fail("what the user asks for is not in the request");
    if (this.step === asked_at) {
      this.answered = text.includes(needle);
      if (!this.answered) this.fail("what the question asks for is not in the request");
    }
    if (this.step === pauses_at) return { words: "I have read the records up to here." };
    if (this.step >= steps) return { words: this.answered ? `The gate code of berth 7 is ${needle}.` : "I do not know." };
    const paths = [record(this.step)];
    if (this.parallel && this.step % 6 === 0) paths.push(record(this.step + 40));
    if (this.step === 9) paths[0] = "records/missing.md";
    return { calls: this.found(tools, text) ?? paths.map((path) => ({ name: reader.name, input: reading(reader, this.folder, path) })) };
  }

  /// Of an agent that keeps tools back until its own search finds them: one is searched for at the second step, and called at the
  /// twelfth, when the conversation was compacted meanwhile.
  found(tools, text) {
    const search = tools.find((tool) => tool.name === "ToolSearch");
    if (search && this.step === 2) return [{ name: search.name, input: { query: `select:${searched}`, max_results: 1 } }];
    if (!search || this.step !== 12) return undefined;
    if (!tools.some(({ name }) => name === searched)) this.fail(`${searched} was found, and is not among the tools`);
    if (!text.includes('"tool_reference"')) this.fail(`${searched} is kept back, and nothing refers to it`);
    return [{ name: searched, input: { subject: "Read on", description: "The records from 12 on" } }];
  }

  /// Tokens as a service reports them; cached, what this request shares with the one before.
  usage() {
    const last = this.requests.at(-1);
    if (!last) return { input: 100, cached: 0 };
    const input = tokensOf(last.form, last.body);
    return { input, cached: Math.round((input * cachedBytes(this.requests)) / beginning(last.body).length) };
  }

  send(form, body, said, response) {
    const id = `${this.requests.length}_${Math.random().toString(36).slice(2, 8)}`;
    const events = { chat: chatEvents, messages: messagesEvents, responses: responsesEvents }[form](id, body, said, this.usage());
    if (!body.stream) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify(events.whole));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events.stream)
      response.write(`${event.type && form !== "chat" ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
    response.end(form === "chat" ? "data: [DONE]\n\n" : undefined);
  }
}

/// Bytes with which the newest request begins as the one before did.
export function cachedBytes(requests) {
  if (requests.length < 2) return 0;
  const [before, last] = [beginning(requests.at(-2).body), beginning(requests.at(-1).body)];
  let i = 0;
  while (i < Math.min(before.length, last.length) && before[i] === last[i]) ++i;
  return i;
}

const without_breakpoints = (name, value) => (name === "cache_control" ? undefined : value);
export const beginning = (body) =>
  JSON.stringify([body.tools, body.system ?? body.instructions, body.messages ?? body.input], without_breakpoints);

function chatEvents(id, body, { calls, words }, { input, cached }) {
  const message = { role: "assistant", content: words ?? null };
  if (calls) message.tool_calls = calls.map(({ name, input }, i) =>
    ({ id: `call_${id}_${i}`, type: "function", function: { name, arguments: JSON.stringify(input) } }));
  const head = { id: `chatcmpl-${id}`, created: 1, model: body.model };
  const finish_reason = calls ? "tool_calls" : "stop";
  const usage = { prompt_tokens: input, completion_tokens: 20, total_tokens: input + 20, prompt_tokens_details: { cached_tokens: cached } };
  const delta = calls ? { ...message, tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) } : message;
  const chunk = { ...head, object: "chat.completion.chunk" };
  return { whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason, logprobs: null }], usage },
           stream: [{ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
                    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] }, { ...chunk, choices: [], usage }] };
}

function messagesEvents(id, body, { calls, words }, { input, cached }) {
  const content = words ? [{ type: "text", text: words }]
    : calls.map(({ name, input }, i) => ({ type: "tool_use", id: `toolu_${id}_${i}`, name, input }));
  const usage = { input_tokens: Math.max(input - cached, 0), cache_read_input_tokens: cached, cache_creation_input_tokens: 0, output_tokens: 20 };
  const stop_reason = calls ? "tool_use" : "end_turn";
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model: body.model, content, stop_reason, stop_sequence: null, usage };
  const blocks = content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: words ? { type: "text", text: "" } : { ...block, input: {} } },
    { type: "content_block_delta", index, delta: words ? { type: "text_delta", text: words }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) } },
    { type: "content_block_stop", index }]);
  return { whole: message,
           stream: [{ type: "message_start", message: { ...message, content: [], stop_reason: null } }, ...blocks,
                    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage }, { type: "message_stop" }] };
}

function responsesEvents(id, body, { calls, words }, { input, cached }) {
  const output = [{ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: `sealed-${id}` }];
  if (words) output.push({ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: words, annotations: [] }] });
  for (const [i, { name, input }] of (calls ?? []).entries())
    output.push({ type: "function_call", id: `fc_${id}_${i}`, call_id: `call_${id}_${i}`, name, arguments: JSON.stringify(input), status: "completed" });
  const usage = { input_tokens: input, input_tokens_details: { cached_tokens: cached }, output_tokens: 20,
                  output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input + 20 };
  const whole = { id: `resp_${id}`, object: "response", created_at: 1, model: body.model, status: "completed", error: null, incomplete_details: null,
                  instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, top_p: 1, tool_choice: "auto", tools: [], output, usage };
  const pending = { ...whole, status: "in_progress", output: [], usage: null };
  const events = [{ type: "response.created", response: pending }, { type: "response.in_progress", response: pending }];
  for (const [output_index, item] of output.entries()) {
    const at = { output_index, item_id: item.id };
    events.push({ type: "response.output_item.added", output_index, item: item.type === "message" ? { ...item, content: [] } : item.type === "function_call" ? { ...item, arguments: "" } : item });
    if (item.type === "message") {
      const part = item.content[0];
      events.push({ type: "response.content_part.added", ...at, content_index: 0, part: { ...part, text: "" } },
        { type: "response.output_text.delta", ...at, content_index: 0, delta: part.text, logprobs: [] },
        { type: "response.output_text.done", ...at, content_index: 0, text: part.text, logprobs: [] },
        { type: "response.content_part.done", ...at, content_index: 0, part });
    }
    if (item.type === "function_call")
      events.push({ type: "response.function_call_arguments.delta", ...at, delta: item.arguments },
        { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: item.arguments });
    events.push({ type: "response.output_item.done", output_index, item });
  }
  events.push({ type: "response.completed", response: whole });
  return { whole, stream: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}
