// Agents on the npm packages of both services, thirty steps each, through a proxy: agents.mjs PROXY_URL
// They keep their whole conversation and send all of it each time, as such programs do. Every other request is streamed.
import assert from "node:assert";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const url = process.argv[2];
const steps = 30;
const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const question = "What is the fee of berth 7? Look through the records.";
const records = (path) => Array.from({ length: 60 }, (_, i) =>
  `Entry ${i} of ${path}: berth ${i % 12}, draught ${3 + (i % 7)}.${i % 10} m, crane ${i % 5}, paid ${100 + i * 13} crowns.`).join("\n");
const script = (step) => ({ headers: { "x-script-step": String(step), "x-script-steps": String(steps - 1) } });

async function openai() {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-agent", maxRetries: 0 });
  const tools = [{ type: "function", function: { name: "read_file", description: "Reads a file", parameters: schema } }];
  const messages = [{ role: "system", content: "You answer questions about a harbour." }, { role: "user", content: question }];
  for (let step = 0; step < steps; ++step) {
    const request = { model: "gpt-4o", messages, tools };
    const completion = step % 2
      ? await client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }, script(step)).finalChatCompletion()
      : await client.chat.completions.create(request, script(step));
    const { role, content, tool_calls } = completion.choices[0].message;
    messages.push(tool_calls ? { role, content, tool_calls: tool_calls.map(({ id, type, function: { name, arguments: given } }) =>
      ({ id, type, function: { name, arguments: given } })) } : { role, content });
    for (const call of tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: call.id, content: records(JSON.parse(call.function.arguments).path) });
    if (!tool_calls) return { step, content, characters: JSON.stringify(messages).length };
  }
}

async function anthropic() {
  const client = new Anthropic({ baseURL: url, apiKey: "sk-agent", maxRetries: 0 });
  const tools = [{ name: "read_file", description: "Reads a file", input_schema: schema }];
  const messages = [{ role: "user", content: question }];
  for (let step = 0; step < steps; ++step) {
    const request = { model: "claude-sonnet-4-5", max_tokens: 500, system: "You answer questions about a harbour.", messages, tools };
    const message = step % 2 ? await client.messages.stream(request, script(step)).finalMessage()
      : await client.messages.create(request, script(step));
    messages.push({ role: "assistant", content: message.content });
    const calls = message.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return { step, content: message.content[0].text, characters: JSON.stringify(messages).length };
    messages.push({ role: "user", content: calls.map((call) =>
      ({ type: "tool_result", tool_use_id: call.id, content: records(call.input.path) })) });
  }
}

for (const agent of [openai, anthropic]) {
  const { step, content, characters } = await agent();
  assert.equal(step, steps - 1);
  assert.equal(content, "The fee of berth 7 is 340 crowns.");
  assert.ok(characters > 100_000);  // Far more than what fits.
}
const receipts = await (await fetch(`${url}/metrics`)).text();
for (const api of ["openai", "anthropic"])
  assert.match(receipts, new RegExp(`ctxmgr_requests_total\\{api="${api}",status="200"\\} ${steps}\\n`));
console.log(`${steps} steps of either agent`);
