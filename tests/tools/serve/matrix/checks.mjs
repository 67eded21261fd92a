// What has to hold of each body that reaches the service.
import fs from "node:fs";
import Ajv from "ajv";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

export const needle = "KESTREL-4471";

/// Made from the types that the services' own packages publish; null: not made.
const schemas = fs.existsSync("schemas.json") ? JSON.parse(fs.readFileSync("schemas.json", "utf8")) : null;
const ajv = new Ajv({ strict: false, allErrors: true });
const validators = {};
function validator(form) {
  const type = { chat: "Chat", responses: "Responses", messages: "Messages" }[form];
  return validators[form] ??= ajv.compile({ ...schemas, $ref: `#/definitions/${type}` });
}

/// Tokens of every string that is sent for the model to read, by an own count of them.
export function tokensOf(form, body) {
  let tokens = 0;
  const unseen = new Set(["type", "id", "call_id", "tool_call_id", "tool_use_id", "cache_control", "role", "status", "encrypted_content", "signature"]);
  const walk = (value) => {
    if (typeof value === "string") tokens += countTokens(value, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
    else if (value && typeof value === "object")
      for (const [name, part] of Object.entries(value)) if (Array.isArray(value) || !unseen.has(name)) walk(part);
  };
  walk([body.system, body.instructions, body.messages ?? body.input]);
  // A description is read as text. Written as JSON its line ends and quotes would count as marks that no model sees.
  for (const tool of (body.tools ?? []).map((tool) => tool.function ?? tool)) {
    const { description = "", ...rest } = tool;
    for (const text of [description, JSON.stringify(rest)]) tokens += countTokens(text, { disallowedSpecial: new Set() });
  }
  return tokens;
}

/// Calls without results, results without calls.
function torn(form, body) {
  const problems = [];
  if (form === "responses") {
    const ids = (end) => (Array.isArray(body.input) ? body.input : []).filter((item) => (item.type ?? "").endsWith(end)).map((item) => item.call_id);
    const [calls, results] = [ids("_call"), ids("_call_output")];
    for (const id of calls) if (id && !results.includes(id)) problems.push(`call ${id} has no result`);
    for (const id of results) if (!calls.includes(id)) problems.push(`result ${id} has no call`);
    return problems;
  }
  const blocks = (message, type) => (Array.isArray(message?.content) ? message.content : []).filter((block) => block.type === type);
  for (const [i, message] of body.messages.entries()) {
    if (form === "messages") {
      const calls = blocks(message, "tool_use").map((block) => block.id);
      const results = blocks(body.messages[i + 1], "tool_result").map((block) => block.tool_use_id);
      for (const id of calls) if (!results.includes(id)) problems.push(`call ${id} has no result after it`);
      const before = blocks(body.messages[i - 1], "tool_use").map((block) => block.id);
      for (const block of blocks(message, "tool_result"))
        if (!before.includes(block.tool_use_id)) problems.push(`result ${block.tool_use_id} has no call before it`);
      continue;
    }
    const expected = new Set((message.tool_calls ?? []).map((call) => call.id));
    for (let j = i + 1; j < body.messages.length && body.messages[j].role === "tool"; ++j) expected.delete(body.messages[j].tool_call_id);
    for (const id of expected) problems.push(`call ${id} has no result after it`);
    if (message.role !== "tool") continue;
    let j = i;
    while (j > 0 && body.messages[j].role === "tool") --j;
    if (!(body.messages[j].tool_calls ?? []).some((call) => call.id === message.tool_call_id))
      problems.push(`result ${message.tool_call_id} has no call before it`);
  }
  return problems;
}

/// Where a body is not as the schema says, with the kinds of what is wrong.
export function schemaProblems(form, body) {
  if (!schemas) return [];
  const validate = validator(form);
  if (validate(body)) return [];
  return [...new Set(validate.errors.filter((error) => !["anyOf", "oneOf"].includes(error.keyword))
    .map((error) => `${error.instancePath.replace(/\d+/g, "N")} ${error.message}`))];
}

export function checksOf(form, body, budget, isExact) {
  const problems = torn(form, body);
  const tokens = tokensOf(form, body);
  if (budget && tokens > budget) problems.push(`${tokens} tokens of ${budget}${isExact ? "" : " (o200k, the model's own count is not known)"}`);
  if (form === "messages" && body.messages[0]?.role !== "user") problems.push("it does not begin with the user");
  return problems;
}
