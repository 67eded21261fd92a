// Agents, unmodified, through the proxy in front of a scripted service: matrix.mjs CTXPACK AGENT[=BUDGET[:TOOLS|:run][:first]]...
// With "run" each turn of a coding agent is started by `ctxpack run`, which tells it the address. With "first" the user asks before the
// agent reads, else after it.
// AGENT: "sdks" for all small ones, or one of them or of the coding agents. Prints a line for each, and fails where a request was
// refused, over its budget, torn or not by its schema, or where the question came without what the agent had read.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { coding_agents } from "./coding_agents.mjs";
import { needle, schemaProblems, tokensOf } from "./checks.mjs";
import { sdks } from "./sdks.mjs";
import { Service, beginning, cachedBytes, conversations, record } from "./service.mjs";

function writeRecords(folder) {
  fs.mkdirSync(`${folder}/records`, { recursive: true });
  for (let number = 1; number < 80; ++number) {
    const lines = Array.from({ length: 60 }, (_, i) => `Entry ${i} of list ${number}: berth ${10 + (i % 12)}, draught ${3 + (i % 7)}.${i % 10} m, `
      + `crane ${i % 5}, paid ${100 + i * 13 + number} crowns.`);
    if (number === 3) lines[31] = `Entry 31 of list 3: the gate code of berth 7 is ${needle}.`;
    fs.writeFileSync(`${folder}/${record(number)}`, lines.join("\n") + "\n");
  }
}

/// Notes what an agent says, and passes everything on.
async function recorder(target, seen) {
  const forms = { "/v1/chat/completions": "chat", "/v1/messages": "messages", "/v1/responses": "responses" };
  const server = http.createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      const headers = { ...request.headers, host: new URL(target).host };
      delete headers["transfer-encoding"];
      if (body.length) headers["content-length"] = String(body.length);
      const onward = http.request(target + request.url, { method: request.method, headers }, (answer) => {
        const form = forms[request.url.split("?")[0]];
        if (form && request.method === "POST") seen.push({ form, body, status: answer.statusCode });
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      response.on("close", () => onward.destroy());
      onward.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}

async function startProxy(ctxpack, upstream, budget, more) {
  const proxy = spawn(ctxpack, ["serve", "--upstream", upstream, "--listen", "127.0.0.1:0", "--budget", String(budget), ...more],
                      { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve, reject) => {
    let text = "";
    proxy.stdout.on("data", (piece) => { text += piece; if (text.includes("\n")) resolve(text.split("\n")[0]); });
    proxy.on("exit", () => reject(new Error("the proxy did not start")));
  });
  return { url: line, close: () => proxy.kill() };
}

const run = (command, environment, folder) => new Promise((resolve, reject) => {
  const agent = spawn(command[0], command.slice(1), { cwd: folder, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const timer = setTimeout(() => agent.kill("SIGKILL"), 900_000);
  for (const pipe of [agent.stdout, agent.stderr]) pipe.on("data", (piece) => (output += piece));
  agent.on("error", reject);
  agent.on("close", (code, signal) => { clearTimeout(timer); resolve({ output, code: code ?? signal }); });
});

const addresses = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ENABLE_TOOL_SEARCH"];

/// `by` is what starts a turn, where something does; it prints its own account behind what the agent said.
async function drive(name, url, folder, home, said_by_user, by = []) {
  if (sdks[name]) {
    const read = (file) => { try { return fs.readFileSync(`${folder}/${file}`, "utf8"); } catch { return "no such file"; } };
    return sdks[name](url, read, said_by_user);
  }
  const environment = { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, XDG_DATA_HOME: `${home}/.local/share`, XDG_CACHE_HOME: `${home}/.cache` };
  const turn = coding_agents[name].prepare(url, home, folder);
  let said;
  for (const [i, words] of said_by_user.entries()) {
    const { command, environment: own } = turn(words, i === 0);
    const told = by.length ? Object.fromEntries(addresses.map((address) => [address, undefined])) : {};
    said = await run([...by, ...command], { ...environment, ...own, ...told }, folder);
    if (said.code !== 0) throw new Error(`it ended with ${said.code}: ${said.output.slice(-1500)}`);
  }
  return said.output;
}

/// Requests that go on from the one before, and the others, which pay for a new beginning.
function beginnings(requests) {
  const list = (body) => (body.messages ?? body.input).map((message) => beginning({ messages: [message] }));
  let compactions = 0;
  for (let i = 1; i < requests.length; ++i) {
    const [before, after] = [list(requests[i - 1].body), list(requests[i].body)];
    if (!before.every((message, j) => message === after[j])) ++compactions;
  }
  return compactions;
}

async function try_agent(ctxpack, name, budget, how) {
  const conversation = conversations[how.includes("first") ? "first" : "end"];
  const tools = how.find((word) => word !== "first");
  const folder = path.resolve("work", [name, budget, ...how].join("-").replace(/\W+/g, "-")), home = `${folder}.home`;
  for (const old of [folder, home]) fs.rmSync(old, { recursive: true, force: true });
  fs.mkdirSync(home, { recursive: true });
  writeRecords(folder);
  const service = new Service({ folder: sdks[name] ? "" : folder, budget, isExact: true, conversation });
  const seen = [];
  const upstream = await service.listen();
  const by = tools === "run" ? [ctxpack, "run", "--upstream", upstream, "--budget", String(budget), "--"] : [];
  const proxy = process.env.WITHOUT_PROXY || by.length ? { url: upstream, close() {} } : await startProxy(ctxpack, upstream, budget, tools ? ["--tools-budget", tools] : []);
  const agent = await recorder(proxy.url, seen);
  const problems = [];
  try {
    const answer = await drive(name, agent.url, folder, home, conversation.words, by);
    if (by.length) console.log(answer.slice(answer.lastIndexOf(needle)));
    if (by.length && !/[0-9]+ requests? in [0-9]+ conversations?/.test(answer)) problems.push("ctxpack run has no account at its end");
    if (!answer.includes(needle)) problems.push(`its last answer is: ${answer.slice(-300)}`);
  } catch (error) {
    problems.push(String(error.stack));
  } finally {
    for (const part of [agent, proxy, service]) part.close();
  }
  problems.push(...service.failures);
  const refused = seen.filter(({ status }) => status !== 200);
  for (const { status } of refused) problems.push(`an answer with status ${status}`);
  if (service.step !== conversation.steps) problems.push(`${service.step} steps`);
  // What the agent itself has otherwise than the schema is no fault of the proxy; with "run" nothing stands before the proxy to see it.
  const known = new Set(seen.flatMap(({ form, body }) => { try { return schemaProblems(form, JSON.parse(body)); } catch { return []; } }));
  const made = by.length ? [] : service.requests.flatMap(({ form, body }) => schemaProblems(form, body)).filter((problem) => !known.has(problem));
  for (const problem of new Set(made)) problems.push(`by the schema: ${problem}`);
  const tokens = service.requests.map(({ form, body }) => tokensOf(form, body));
  const all = Math.max(0, ...seen.map(({ form, body }) => { try { return tokensOf(form, JSON.parse(body)); } catch { return 0; } }));
  let [shared, sent] = [0, 0];
  for (let i = 1; i <= service.requests.length; ++i) {
    shared += cachedBytes(service.requests.slice(0, i));
    sent += beginning(service.requests[i - 1].body).length;
  }
  console.log(`${[name, ...how].join(" ")} at ${budget}: ${service.step} steps in ${service.requests.length} requests, at most ${Math.max(0, ...tokens)} tokens${all ? ` of ${all}` : ""}, `
    + `${beginnings(service.requests)} new beginnings, ${Math.round(100 * shared / sent)} % as the request before, ${problems.length} problems`);
  for (const problem of [...new Set(problems)].slice(0, 12)) console.log(`  ${problem}`);
  if (process.env.KEEP) fs.writeFileSync(`${folder}.requests.json`, JSON.stringify(service.requests.map(({ body }) => body)));
  if (process.env.KEEP) fs.writeFileSync(`${folder}.agent.json`, JSON.stringify(seen.map(({ body }) => JSON.parse(body))));
  return problems.length;
}

const [ctxpack, ...wanted] = process.argv.slice(2);
let failed = 0;
for (const entry of wanted.flatMap((name) => name === "sdks" ? Object.keys(sdks).flatMap((sdk) => [`${sdk}=8000`, `${sdk}=32000`, `${sdk}=8000:first`]) : [name])) {
  const [name, settings = "8000"] = entry.split("=");
  const [budget, ...how] = settings.split(":");
  failed += (await try_agent(ctxpack, name, Number(budget), how)) > 0;
}
console.log(failed ? `${failed} failed` : `all of them`);
process.exit(failed ? 1 : 0);
