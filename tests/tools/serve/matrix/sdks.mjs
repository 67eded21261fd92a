// Small agents on the services' own packages. Each keeps its whole conversation and sends all of it each time; every other
// request is streamed. An agent gets the address, a function that runs its one tool, and what the user says, one after the other;
// it returns its last answer.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";

const instructions = "You answer questions about a harbour.";
const description = "Reads a file";
const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

async function chat(url, read, words) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-agent", maxRetries: 0 });
  const tools = [{ type: "function", function: { name: "read_file", description, parameters: schema } }];
  const messages = [{ role: "system", content: instructions }];
  let streams = false, last;
  for (const said of words) {
    messages.push({ role: "user", content: said });
    do {
      const request = { model: "gpt-4o", messages, tools };
      const completion = (streams = !streams)
        ? await client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion()
        : await client.chat.completions.create(request);
      const { role, content, tool_calls } = completion.choices[0].message;
      last = { role, content, ...(tool_calls && { tool_calls: tool_calls.map(({ id, type, function: { name, arguments: given } }) =>
        ({ id, type, function: { name, arguments: given } })) }) };
      messages.push(last);
      for (const call of tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: call.id, content: read(JSON.parse(call.function.arguments).path) });
    } while (last.tool_calls);
  }
  return last.content;
}

async function responses(url, read, words) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-agent", maxRetries: 0 });
  const tools = [{ type: "function", name: "read_file", description, parameters: schema, strict: false }];
  const input = [];
  let streams = false, response, calls;
  for (const said of words) {
    input.push({ role: "user", content: said });
    do {
      const request = { model: "gpt-4o", instructions, input, tools, store: false, include: ["reasoning.encrypted_content"] };
      response = (streams = !streams) ? await client.responses.stream(request).finalResponse() : await client.responses.create(request);
      calls = response.output.filter((item) => item.type === "function_call");
      for (const { parsed_arguments, ...item } of response.output) input.push(item);
      for (const call of calls)
        input.push({ type: "function_call_output", call_id: call.call_id, output: read(JSON.parse(call.arguments).path) });
    } while (calls.length);
  }
  return response.output_text;
}

async function messages(url, read, words) {
  const client = new Anthropic({ baseURL: url, apiKey: "sk-agent", maxRetries: 0 });
  const tools = [{ name: "read_file", description, input_schema: schema, cache_control: { type: "ephemeral" } }];
  const turns = [];
  let streams = false, message, calls;
  for (const said of words) {
    turns.push({ role: "user", content: said });
    do {
      const request = { model: "claude-sonnet-4-6", max_tokens: 500, system: instructions, messages: turns, tools };
      message = (streams = !streams) ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
      turns.push({ role: "assistant", content: message.content.map(({ parsed_output, ...block }) => block) });
      calls = message.content.filter((block) => block.type === "tool_use");
      if (calls.length)
        turns.push({ role: "user", content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: read(call.input.path) })) });
    } while (calls.length);
  }
  return message.content[0].text;
}

const vercel = (modelAt) => async (url, read, words) => {
  const tools = { read_file: tool({ description, inputSchema: jsonSchema(schema), execute: async ({ path }) => read(path) }) };
  const messages = [];
  let streams = false, text;
  for (const said of words) {
    messages.push({ role: "user", content: said });
    const request = { model: modelAt(url), system: instructions, messages, tools, stopWhen: stepCountIs(40), maxRetries: 0 };
    const result = (streams = !streams) ? streamText(request) : await generateText(request);
    text = await result.text;
    messages.push(...(await result.response).messages);
  }
  return text;
};

export const sdks = {
  "openai": chat,
  "openai responses": responses,
  "anthropic": messages,
  "ai openai": vercel((url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "sk-agent" })("gpt-4o")),
  "ai openai chat": vercel((url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "sk-agent" }).chat("gpt-4o")),
  "ai anthropic": vercel((url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "sk-agent" })("claude-sonnet-4-6")),
};
