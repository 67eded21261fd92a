#!/usr/bin/env python3
"""What ctxpack promises to scripts: exit codes, one clear line on standard error, files in and out.

Usage: ctxpack_test.py CTXPACK. No network: the only service asked is a closed port of this machine.
"""
import gzip
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

CTXPACK = sys.argv[1]
FAILURES = []
LONG = "The invoice of the supplier is overdue since March. " * 400
REQUEST = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Which invoice is overdue?"},
    ],
    "attachments": [{"content": LONG}],
}


def run(*arguments, stdin=""):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "CONTEXT_", "SUMMARIZER_"))}
    return subprocess.run([CTXPACK, *map(str, arguments)], input=stdin.encode(), capture_output=True,
                          env=environment, timeout=60)


def check(what, condition, done=None):
    if not condition:
        FAILURES.append(what if done is None else f"{what}: exit {done.returncode}, {done.stderr.decode()[:300]!r}")


def expect(code, *arguments, stdin="", says=()):
    """Runs it; failures say what is wrong in one line on standard error, and nothing on standard output."""
    done = run(*arguments, stdin=stdin)
    name = " ".join(map(str, arguments))
    check(f"exit code {code} of {name}", done.returncode == code, done)
    error = done.stderr.decode()
    for part in says:
        check(f"{part!r} in the error of {name}", part in error, done)
    if code > 1:
        check(f"one line of error of {name}", error.startswith("ctxpack: ") and error.count("\n") == 1, done)
        check(f"no output of {name}", done.stdout == b"", done)
    return done.stdout.decode()


def what_if(directory, request):
    alone = json.loads(expect(0, "plan", request, "--what-if", "--json", "--budget", 400))
    check("without a plan and a model there is one plan", list(alone) == ["deterministic"])
    plan = alone["deterministic"]["plan"]
    for decision in plan["artifacts"]:
        decision["strategy"] = "exclude"
    given = directory / "given.json"
    given.write_text(json.dumps(plan))
    both = json.loads(expect(0, "plan", request, "--what-if", "--given", given, "--json", "--budget", 400))
    check("a given plan is carried out beside it", list(both) == ["deterministic", "given"])
    check("and says where it is from", both["given"]["metadata"]["plan_source"] == "given")
    table = expect(0, "plan", request, "--what-if", "--given", given, "--budget", 400)
    check("side by side", "deterministic" in table and "given" in table and "tokens sent" in table)
    given.write_text("no plan")
    expect(2, "plan", request, "--what-if", "--given", given)


def build_and_plan(directory, request):
    built = json.loads(expect(0, "build", request))
    check("messages and metadata", set(built) == {"messages", "metadata"})
    check("the question comes last", built["messages"][-1] == REQUEST["messages"][-1])
    check("standard input", json.loads(expect(0, "build", "-", stdin=json.dumps(REQUEST)))["messages"]
          == built["messages"])
    small = json.loads(expect(0, "build", request, "--budget", 400))
    check("the budget holds", small["metadata"]["input_tokens_used"] <= 400)
    low = json.loads(expect(0, "build", request, "--utilization", "low"))
    check("the window is used in part",
          low["metadata"]["max_input_tokens"] < built["metadata"]["max_input_tokens"] / 2)
    out, metadata = directory / "out.json", directory / "metadata.json"
    printed = expect(0, "build", request, "--out", out, "--metadata", metadata)
    check("nothing printed beside --out", printed == "")
    check("--out", json.loads(out.read_text())["messages"] == built["messages"])
    check("--metadata", json.loads(metadata.read_text())["artifacts_total"] == 1)
    check("--explain", "attachment" in expect(0, "build", request, "--explain", "--budget", 400))
    check("--goal", json.loads(expect(0, "build", request, "--goal", "planning"))["metadata"]["goal"] == "planning")
    check("plan", "Planner: deterministic" in expect(0, "plan", request, "--budget", 400))
    check("plan --json", "plan" in json.loads(expect(0, "plan", request, "--json")))
    what_if(directory, request)


def for_people(directory, request):
    config = directory / "ctxpack.toml"
    config.write_text("[build]\nbudget = 400\n")
    check("a config file", json.loads(expect(0, "--config", config, "build", request))["metadata"]["max_input_tokens"] == 400)
    expect(2, "--config", directory / "none.toml", "build", request)
    for shell in ("bash", "zsh", "fish"):
        check(f"completions for {shell}", "budget" in expect(0, "completions", shell))
    check("completions that bash reads", subprocess.run(
        ["bash", "-c", 'source <("$0" completions bash); COMP_WORDS=(ctxpack build --bu); COMP_CWORD=2; _ctxpack; '
         'echo "${COMPREPLY[@]}"', CTXPACK], capture_output=True, timeout=60).stdout == b"--budget\n")
    for words, offered in (("build --planner", "auto llm llm_or_fail deterministic none"), ("completions", "bash zsh fish"), ("hel", "help")):
        script = 'source <("$0" completions bash); COMP_WORDS=(ctxpack $1 ""); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))'
        if words == "hel":
            script = 'source <("$0" completions bash); COMP_WORDS=(ctxpack hel); COMP_CWORD=1'
        done = subprocess.run(["bash", "-c", script + '; _ctxpack; echo "${COMPREPLY[@]}"', CTXPACK, words], capture_output=True, text=True, timeout=60)
        check(f"completions of {words}", offered in done.stdout, done)
    check("fish and zsh know the values", all("auto llm llm_or_fail" in expect(0, "completions", shell) for shell in ("fish", "zsh")))
    expect(2, "completions", "csh", says=["csh"])
    check("help of a command", expect(0, "help", "build") == expect(0, "build", "--help"))
    check("and of one below", expect(0, "help", "context", "set") == expect(0, "context", "set", "--help"))
    check("and of all", expect(0, "help") == expect(0, "--help"))
    expect(2, "help", "biuld", says=["no command biuld, did you mean build?"])
    page = expect(0, "help", "--man")
    check("a page for man", page.startswith(".TH CTXPACK 1") and all(words in page for words in (r"\-\-budget", ".SS context set", "EXIT STATUS")))
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, timeout=60)
        check("that groff reads without a warning", done.returncode == 0 and done.stderr == "" and "context set" in done.stdout and "…" in done.stdout)
    for name in re.findall(r"^  (\w+)  ", expect(0, "--help").split("Subcommands:")[1], re.M):
        check(f"examples of {name}", re.search(rf"Example.*(ctxpack {name}|{name}\")", expect(0, name, "--help"), re.S))
    counted = json.loads(expect(0, "count", request, "--json"))
    check("count --json", counted["file"] == str(request) and counted["tokens"] > 0)


def attachments(directory, request):
    tariff = directory / "tariff.md"
    tariff.write_text("Berth 7 costs 340 crowns.")
    built = json.loads(expect(0, "build", request, "--attach", tariff, "--budget", 3000))
    check("--attach", "tariff.md" in json.dumps(built["metadata"]["artifacts_processed"]))
    expect(2, "build", request, "--attach", directory / "none.md", says=["--attach", "none.md"])
    expect(2, "build", request, "--attachment-id", "x", says=["--store"])
    expect(1, "build", request, "--attachment-id", "x", "--store", f"sqlite:{directory / 'a.db'}", "--session", "s")


def reports(directory, request):
    built = directory / "built.json"
    built.write_text(expect(0, "build", request, "--budget", 400))
    page = expect(0, "report", built, "--title", "<b>")
    check("a page", page.startswith("<!doctype html>") and "&lt;b&gt;" in page and "<script" not in page)
    out = directory / "page.html"
    expect(0, "report", built, "--out", out)
    check("report --out", out.read_text().endswith("</html>\n"))
    expect(2, "report", request, says=["receipt"])
    expect(2, "report", directory / "none.json", says=["cannot be read"])


def mcp(directory):
    def ask(*messages, arguments=()):
        done = run("mcp", *arguments, stdin="".join(message + "\n" for message in messages))
        check("mcp ends with its input", done.returncode == 0, done)
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def call(name, **arguments):
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": name, "arguments": arguments}})

    hello, bad, unknown = ask('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}',
                              '{"jsonrpc":"2.0","method":"notifications/initialized"}', "{", '{"id":2,"method":"x"}')
    check("mcp says hello", hello["result"]["serverInfo"]["name"] == "ctxpack")
    check("mcp refuses", bad["error"]["code"] == -32700 and unknown["error"]["code"] == -32601)
    fitted, wrong, none = ask(call("fit_messages", request=REQUEST, budget=400), call("fit_messages", request=REQUEST, budget=1),
                              call("list_context"))
    check("mcp fits", json.loads(fitted["result"]["content"][0]["text"])["metadata"]["input_tokens_used"] <= 400)
    check("mcp says what is wrong", wrong["result"]["isError"] and "error" in none)
    body = {"temperature": 1, "model": "gpt-4o", "messages": [{"role": "user", "content": "a"}], "a": {"z": 1, "b": 2}}
    kept, = ask(call("fit_messages", request=body, budget=400))
    check("mcp keeps the order of keys", json.dumps(body, separators=(",", ":")) in kept["result"]["content"][0]["text"], kept)
    session = ("--store", f"sqlite:{directory / 'mcp.db'}", "--session", "s")
    _, listed, failed = ask(call("set_context", key="k", value="v"), call("list_context"), call("get_context"), arguments=session)
    check("mcp reads and writes a session", '"k"' in listed["result"]["content"][0]["text"])
    check("mcp says that a tool failed", failed["result"]["isError"] and not listed["result"]["isError"])


def serve_errors():
    expect(2, "serve", says=["--upstream"])
    expect(2, "serve", "--upstream", "https://example.com", "--budget", 0, says=["--budget", "1 or more"])
    expect(2, "serve", "--upstream", "ftp://x", says=["--upstream"])
    expect(2, "serve", "--upstream", "http://example.com", says=["--upstream", "--allow-plain-http"])
    expect(2, "serve", "--upstream", "https://example.com", "--listen", "nowhere", says=["--listen"])
    expect(2, "serve", "--upstream", "https://example.com", "--listen", "0.0.0.0:0", says=["CTXPACK_SERVE_TOKEN"])


def build_anthropic(directory):
    request = directory / "anthropic.json"
    body = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "You run a harbour.", "messages": [
        {"role": "user", "content": "The fee?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "fee", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "7"}]}]}
    request.write_text(json.dumps(body))
    built = json.loads(expect(0, "build", request))
    check("Anthropic's form comes back", built["request"] == body and built["metadata"]["input_tokens_used"] > 0)


def build_errors(directory, request):
    expect(2, "build", says=["request is missing: ", "as a JSON file", "ctxpack build --help"])
    expect(2, "build", directory / "absent.json", says=["absent.json", "cannot be read"])
    expect(2, "build", directory, says=["cannot be read"])
    broken = directory / "broken.json"
    broken.write_text('{\n  "messages": [\n    {"role": "user",,}\n  ]\n}\n')
    expect(2, "build", broken, says=["broken.json", "line 3"])
    wrong = directory / "wrong.json"
    wrong.write_text(json.dumps({"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": 7}]}))
    expect(2, "build", wrong, says=["/messages/1/content"])
    wrong.write_text(json.dumps({"messages": [{"role": "wizard", "content": "a"}]}))
    expect(2, "build", wrong, says=["/messages/0/role"])
    wrong.write_text('{"messages":[]}')
    expect(2, "build", wrong, says=["/messages: there are none"])
    wrong.write_text("[" * 100_000)
    expect(2, "build", wrong)
    wrong.write_text("\n")
    for command in ("build", "plan"):
        expect(2, command, wrong, says=["wrong.json: is empty"])
    expect(2, "simulate", wrong, "--budget", 400, says=["wrong.json: has no runs"])
    expect(2, "select", wrong, "--budget", 400, says=["wrong.json: has no cases"])
    for arguments in (["build", directory], ["select", directory, "--budget", 400], ["simulate", directory, "--budget", 400],
                      ["count", directory]):
        expect(2, *arguments, says=[f"{directory}: cannot be read: it is a folder"])
        expect(2, *[directory / "none.json" if word == directory else word for word in arguments],
               says=["none.json: cannot be read: there is no such file"])
    wrong.write_text(json.dumps({"messages": [{"role": "tool", "tool_call_id": "x", "content": "a"}]}))
    mended = json.loads(expect(0, "build", wrong))
    check("a lost result is mended", any("message 1" in note for note in mended["metadata"]["notes"]), mended)
    expect(2)
    expect(2, "build")
    expect(2, "no-such-command", says=["no-such-command", "--help"])
    expect(2, "build", request, "--no-such-option", says=["--no-such-option"])
    expect(2, "build", request, "--budget", "many", says=["--budget"])
    expect(2, "build", request, "--bugdet", 400, says=["there is no option --bugdet, did you mean --budget?", "build --help"])
    expect(2, "build", request, "--bugdet=400", says=["did you mean --budget?"])
    expect(2, "build", request, "--budget", says=["--budget needs a value: Most input tokens"])
    expect(2, "biuld", request, says=["there is no subcommand biuld, did you mean build?"])
    expect(2, "build", request, "--planner", "detreministic", says=["expected auto, llm,", "did you mean deterministic?"])
    check("what is near nothing has no suggestion", b"mean" not in run("build", request, "--zzzzzz").stderr)
    expect(2, "--bugdet", says=["there is no option --bugdet"])
    expect(2, "build", request, "more", says=["nothing takes the argument more"])
    expect(2, "build", request, "--budget", "-5")
    expect(2, "build", request, "--budget", 400, "--utilization", "low", says=["--utilization"])
    expect(2, "build", request, "--planner", "oracle", says=["--planner"])
    expect(2, "build", request, "--planner", "llm", says=["--base-url"])
    expect(2, "build", request, "--store", "sqlite:x.db", says=["--session"])
    expect(2, "build", request, "--store", "nowhere:x", "--session", "s", says=["--store"])
    if b"built without" not in run("build", request, "--store", f"sqlite:{directory}/s.db", "--session", "s").stderr:
        expect(2, "build", request, "--store", f"sqlite:{directory}/none/s.db", "--session", "s", says=["no folder", "none"])
        expect(2, "build", request, "--store", f"sqlite:{directory}", "--session", "s", says=["it is a folder"])
    expect(2, "build", request, "--out", directory / "no" / "such" / "out.json", says=["cannot be written"])
    expect(3, "build", request, "--budget", 10, says=["tokens", "10"])
    expect(3, "plan", request, "--budget", 10)
    secret = run("build", request, "--store", "redis://:topsecret@127.0.0.1:1/0", "--session", "s")
    check("a store that is not there fails", secret.returncode in (2, 4), secret)
    check("no password in errors", b"topsecret" not in secret.stderr + secret.stdout, secret)


def services(request):
    unreachable = ["build", request, "--budget", 400, "--planner", "llm", "--base-url", "http://127.0.0.1:1/v1"]
    done = run(*unreachable)
    if b"built without" in done.stderr:
        return
    check("a build falls back", done.returncode == 0, done)
    check("and says why", "planner failed" in json.loads(done.stdout)["metadata"]["plan_reason"])
    check("to a person, too", b"ctxpack: the planner failed: " in done.stderr and b"built-in planner" in done.stderr, done)
    expect(0, "plan", *unreachable[1:], "--what-if", says=["the planner failed: "])
    expect(4, *["llm_or_fail" if word == "llm" else word for word in unreachable])


def counting(directory):
    text = directory / "text.txt"
    text.write_text("hello world")
    check("count", expect(0, "count", text).startswith("2\t"))
    check("count of several", expect(0, "count", text, text).endswith("4\ttotal\n"))
    check("count of standard input", expect(0, "count", "-", stdin="hello world").startswith("2\t"))
    expect(2, "count", directory / "absent", says=["absent"])
    check("tokens", len(expect(0, "tokens", text).split()) == 2)
    check("tokens --json", len(json.loads(expect(0, "tokens", text, "--json"))) == 2)
    expect(1, "tokens", text, "--encoding", "no_such_encoding")


def selecting(directory):
    cases, artifacts = directory / "cases.jsonl", directory / "artifacts.jsonl"
    cases.write_text(json.dumps({"case_id": "c1", "source": "s", "query": "overdue invoice", "artifact_ids": ["a1"]})
                     + "\n")
    artifacts.write_text(json.dumps({"artifact_id": "a1", "title": "ledger", "content": LONG}) + "\n")
    lines = expect(0, "select", cases, "--artifacts", artifacts, "--budget", "50,100", "--counter", "chars4")
    rows = [json.loads(line) for line in lines.splitlines()]
    check("a row for each budget", [row["budget"] for row in rows] == [50, 100])
    check("within the budget", all(0 < (len(row["context"]) + 3) // 4 <= row["budget"] for row in rows))
    cases.write_text("not json\n")
    expect(2, "select", cases, "--budget", 50, says=["line 1"])
    cases.write_text(json.dumps({"case_id": "c1", "history_id": 7, "cutoff_seq": "x", "artifact_ids": [1, None]})
                     + "\n")
    expect(2, "select", cases, "--budget", 50, says=["case c1"])
    expect(2, "select", directory / "absent", "--budget", 50, says=["absent"])


class Embeddings(http.server.BaseHTTPRequestHandler):
    """Whatever is about money lies in one direction."""
    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        data = [{"embedding": [1, 0] if "money" in text or "EUR" in text else [0, 1]} for text in texts]
        reply = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def selecting_by_meaning(directory):
    cases, artifacts = directory / "meaning.jsonl", directory / "meaning_artifacts.jsonl"
    ids = [f"a{i}" for i in range(8)]
    cases.write_text(json.dumps({"case_id": "c1", "source": "s", "query": "money", "artifact_ids": ids}) + "\n")
    text = "The harbour was rebuilt and has stood here ever since number {}. "
    artifacts.write_text("".join(json.dumps({"artifact_id": name, "title": name, "content": text.format(i) + (
        "The board paid 40 EUR." if i == 5 else "The board met again.")}) + "\n" for i, name in enumerate(ids)))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    question = ("select", cases, "--artifacts", artifacts, "--budget", 30, "--counter", "chars4")
    check("words alone do not find it", "40 EUR" not in expect(0, *question))
    check("an embedder does", "40 EUR" in expect(0, *question, "--embedder", url, "--embedding-model", "m"))
    whole = ("select", cases, "--artifacts", artifacts, "--budget", 80, "--counter", "chars4", "--whole")
    check("words alone do not find it in a whole request", "40 EUR" not in expect(0, *whole))
    check("an embedder does there, too", "40 EUR" in expect(0, *whole, "--embedder", url, "--embedding-model", "m"))
    server.shutdown()


def whole_builds(directory):
    """Frames and older messages count; system messages, pins and the question do not."""
    cases, histories = directory / "whole.jsonl", directory / "histories.jsonl"
    messages = [{"id": f"m{i}", "seq": i, "role": "user", "content": f"The invoice of week {i} came to {i}00 EUR. " * 9}
                for i in range(20)]
    rows = [{"history_id": "h1", "system": "Be brief.", "messages": messages,
             "pinned": [{"id": "p", "role": "user", "content": "Amounts are in EUR."}]}]
    histories.write_text("".join(json.dumps(row) + "\n" for row in rows))
    question = "What did the invoice of week 3 come to?"
    cases.write_text(json.dumps({"case_id": "c1", "source": "s", "kind": "conversation", "query": question,
                                 "history_id": "h1", "cutoff_seq": 20, "artifact_ids": []}) + "\n")
    lines = expect(0, "select", cases, "--histories", histories, "--budget", "400,4000", "--counter", "chars4",
                   "--whole")
    small, large = (json.loads(line)["context"] for line in lines.splitlines())
    check("whole builds keep within the budget", 0 < len(small) <= 4 * 400)
    check("and hold what was asked for", "week 3 came to 300 EUR" in small)
    for left_out in (question, "Be brief.", "Amounts are in EUR."):
        check(f"{left_out!r} is no part of what was chosen", left_out not in small + large)
    check("a roomy build has all of it", all(message["content"].strip() in large for message in messages))


CALLS = 14
SECRET = "ledger/week_07_summary.csv"


def recorded_run(name="agent/one"):
    """Fourteen reads, of which the first named a file that only the last call uses."""
    messages = [{"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Which week was the dearest? Read all of them."}]
    for i in range(CALLS):
        path = SECRET if i == CALLS - 1 else f"part {i}"
        result = f"see {SECRET}" if i == 0 else f"Nothing to see on page {i}. " * 60
        messages += [{"role": "assistant", "content": None, "tool_calls": [
                         {"id": f"call{i}", "type": "function",
                          "function": {"name": "read", "arguments": json.dumps({"path": path})}}]},
                     {"role": "tool", "tool_call_id": f"call{i}", "content": result}]
    return {"id": name, "messages": messages + [{"role": "assistant", "content": "The seventh."}]}


def simulating(directory):
    runs, out = directory / "runs.jsonl", directory / "requests.jsonl"
    text = json.dumps(recorded_run()) + "\n\n" + json.dumps(recorded_run("agent/two")) + "\n"
    runs.write_text(text)
    arguments = ["--budget", 3000, "--json"]
    printed = expect(0, "simulate", runs, *arguments, "--requests", out)
    figures = json.loads(printed)
    check("all runs are read", (figures["runs"], figures["runs_over_budget"]) == (2, 2))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    steps = [i for i, message in enumerate(recorded_run()["messages"]) if message["role"] == "assistant"]
    check("a request for each assistant message", [row["step"] for row in rows] == steps * 2)
    check("of its run", [row["run"] for row in rows] == ["agent/one"] * len(steps) + ["agent/two"] * len(steps))
    check("within the budget", all(0 < row["tokens"] <= 3000 for row in rows))
    check("early requests are the history", rows[1]["messages"] == recorded_run()["messages"][:4])
    everything, half, ours = (figures["policies"][name] for name in ("everything", "cut_to_half", "ctxmgr"))
    check("everything grows at its end", (everything["rewrites"], everything["compactions"]) == (0, 0))
    check("everything keeps everything", everything["far_literals_kept"] == everything["far_literals"] == 4)
    check("a cut loses what it cuts", half["far_literals_kept"] == 0 and half["compactions"] > 0)
    check("a budget is kept", ours["over_budget"] == 0 and ours["steps"] == everything["steps"] == 2 * len(steps))
    check("and sends less", 0 < ours["tokens"] < everything["tokens"] and ours["usd"] > 0)
    check("standard input", expect(0, "simulate", "-", *arguments, stdin=text) == printed)
    packed = directory / "runs.jsonl.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    check("gzip", expect(0, "simulate", packed, *arguments) == printed)
    table = expect(0, "simulate", runs, "--budget", 3000)
    check("a table for people", all(name in table for name in ("everything", "cut to half", "ctxmgr", "gpt-5.6", "demands")))
    check("where nothing is wanted, no column says so", all(name not in table for name in ("rules", "task recall", "asked back")))
    local = expect(0, "simulate", runs, "--budget", 3000, "--price", "local")
    check("a local model evaluates tokens and costs no money", "evaluated" in local and "a turn" in local and "USD" not in local)
    check("all but what is new is evaluated already", everything["evaluated_tokens"] < everything["tokens"] / 3)
    check("a compaction is evaluated anew", half["evaluated_tokens"] > everything["evaluated_tokens"])
    check("without progress, for nobody watches", run("simulate", runs, *arguments).stderr == b"")
    stateless = json.loads(expect(0, "simulate", runs, *arguments, "--no-state"))["policies"]["ctxmgr"]
    check("state can be forgotten", stateless["steps"] == ours["steps"])
    packed.write_bytes(gzip.compress(text.encode())[:-200])
    expect(2, "simulate", packed, *arguments, says=["runs.jsonl.gz", "line"])


def scoring(directory):
    """Requests of somebody else beside those of the library; a run with questions spliced in."""
    runs, mine, tail = directory / "asked.jsonl", directory / "mine.jsonl", directory / "tail.jsonl"
    run_ = recorded_run("agent/asked")
    history = run_["messages"]
    at = len(history) - 3
    history.insert(at, {"role": "user", "content": "What did you see in part 0?"})
    run_["asks"] = [{"at": at, "form": "value", "question": "What did you see in part 0?", "parts": [f"see {SECRET}"], "within": 0, "before": 9000, "age": 8000}]
    runs.write_text(json.dumps(run_) + "\n")
    arguments = [runs, "--budget", 3000, "--json"]
    own = json.loads(expect(0, "simulate", *arguments, "--requests", mine))["policies"]
    check("the plain search finds the answer", own["cut_to_half_with_BM25"]["asked_back"] == {"asked": 1, "found": 1.0})
    check("a cut has lost it", own["cut_to_half"]["asked_back"]["found"] == 0)
    steps = [i for i, message in enumerate(history) if i and message["role"] == "assistant"]
    rows = [{"run": "agent/asked", "step": k, "messages": history[max(1, k - 4):k]} for k in steps]
    tail.write_text("".join(json.dumps(row) + "\n" for row in rows[:-1]))
    scored = json.loads(expect(0, "simulate", *arguments, "--score", mine, "--score", tail))["policies"]
    check("what was written is scored as what was sent", scored["mine"] == own["ctxmgr"])
    check("a missing request has failed", (scored["tail"]["failed"], scored["tail"]["steps"]) == (1, len(steps) - 1))
    check("torn requests are counted", scored["tail"]["torn"] > 0 and own["ctxmgr"]["torn"] == 0)
    table = expect(0, "simulate", *arguments[:-1], "--score", tail)
    check("they are a row of the table", all(words in table for words in ("tail ", "asked back", "tail: 1 requests")))
    tail.write_text(json.dumps({"run": "another", "step": 2, "messages": []}) + "\n")
    check("runs without requests are left out", "no run to compare" in expect(0, "simulate", *arguments[:-1], "--score", tail))
    for line, problem in (({"run": "agent/asked", "step": 1, "messages": []}, "no assistant message"), ({"run": "agent/asked"}, "needs run, step"),
                          ({"run": "agent/asked", "step": steps[0], "messages": [7]}, "line 1")):
        tail.write_text(json.dumps(line) + "\n")
        expect(2, "simulate", *arguments, "--score", tail, says=["tail.jsonl, line 1", problem])
    tail.write_text(2 * (json.dumps(rows[0]) + "\n"))
    expect(2, "simulate", *arguments, "--score", tail, says=["line 2", "second"])
    expect(2, "simulate", *arguments, "--score", mine, "--score", mine, says=["mine", "name"])
    runs.write_text(json.dumps({**run_, "asks": [{"at": 9999}]}) + "\n")
    expect(2, "simulate", *arguments, says=["line 1", "/asks/0"])


def recalling(directory):
    """A task whose answer was read early, which a cut thread loses, and two rules of the user, which it keeps."""
    runs, cases = directory / "recall.jsonl", directory / "cases.jsonl"
    run_ = recorded_run("agent/recall")
    run_["messages"].insert(4, {"role": "user", "content": "One more thing: keep the tests."})
    run_["rules"] = {"first": [1, run_["messages"][1]["content"]], "middle": [4, "keep the tests."]}
    runs.write_text(json.dumps(run_) + "\n")
    cases.write_text(json.dumps({"case_id": "agent/recall", "gold": {"spans": [{"text": f"see {SECRET}"}]}}) + "\n")
    arguments = [runs, "--budget", 2000, "--json"]
    without = json.loads(expect(0, "simulate", *arguments))["policies"]
    check("without gold nothing is asked for", all("task_recall" not in figures for figures in without.values()))
    scored = json.loads(expect(0, "simulate", *arguments, "--gold", cases))["policies"]
    half, everything = scored["cut_to_half"], scored["everything"]
    check("the task is judged once a run", everything["task_recall"] == {"asked": 1, "found": 1.0})
    check("a cut loses what was read early", half["task_recall"] == {"asked": 1, "found": 0.0})
    check("and keeps the first rule", half["rules_by_form"]["first"]["found"] == half["rules_by_form"]["first"]["asked"] > 0)
    check("each place has its figures", half["rules_by_form"]["middle"]["asked"] > 0)
    check("all demands count", 0 < half["demands"]["found"] <= half["demands"]["asked"] == everything["demands"]["found"])
    table = expect(0, "simulate", *arguments[:-1], "--gold", cases)
    check("in columns", all(name in table for name in ("task recall", "rules", "demands", "steps/compaction", "middle")))
    run_["gold"] = {"spans": [{"text": f"see {SECRET}"}]}
    runs.write_text(json.dumps(run_) + "\n")
    check("a run may bring its own", json.loads(expect(0, "simulate", *arguments))["policies"] == scored)
    for wrong, problem in (({"rules": {"first": [99, "x"]}}, "/rules/first"), ({"gold": {"spans": [{}]}}, "/gold"), ({"rules": 7}, "needs")):
        runs.write_text(json.dumps({**run_, **wrong}) + "\n")
        expect(2, "simulate", *arguments, says=["line 1", problem])
    cases.write_text(json.dumps({"case_id": "a", "gold": {"spans": 7}}) + "\n")
    expect(2, "simulate", *arguments, "--gold", cases, says=["cases.jsonl, a", "/gold"])
    expect(2, "simulate", *arguments, "--gold", directory / "absent", says=["absent"])


def simulating_errors(directory):
    expect(2, "simulate", "runs.jsonl", "--budget", 0, says=["--budget", "1 or more"])
    runs, out = directory / "runs.jsonl", directory / "requests.jsonl"
    runs.write_text(json.dumps(recorded_run()) + "\n")
    figures = json.loads(expect(0, "simulate", runs, "--budget", 12, "--requests", out, "--json"))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    check("failed builds say so", rows[0]["step"] == 2 and "error" in rows[0] and "messages" not in rows[0])
    check("and are counted", figures["policies"]["ctxmgr"]["failed"] == len(rows))
    shown = expect(0, "simulate", runs, "--budget", 12)
    check("and shown", "could not be built" in shown)
    check("with the option to raise", "raise --budget" in shown and "raise --budget" in rows[0]["error"])
    for broken, problem in (("{", "JSON"), (json.dumps({"messages": [{"role": "user", "content": "a"}]}), "id"), ('{"id": "a"}', "messages"),
                            (json.dumps({"id": "a", "messages": [{"role": "user", "content": 7}]}), "/messages/0")):
        runs.write_text("\n" + json.dumps(recorded_run()) + "\n" + broken + "\n")
        expect(2, "simulate", runs, "--budget", 3000, says=["line 3", problem])
    expect(2, "simulate", directory / "absent", "--budget", 3000, says=["absent", "cannot be read"])
    expect(2, "simulate", directory, "--budget", 3000, says=["cannot be read"])
    expect(2, "simulate", runs, "--budget", 3000, "--requests", directory, says=["cannot be written"])


def nested_errors(session, store):
    """A subcommand of a subcommand names what is missing as any other does, and the command that takes it."""
    expect(2, *session, "set", says=["key is missing: Name of the value, such as notes", "(ctxpack context set --help"])
    expect(2, *session, says=["a subcommand is missing: set, get, list, erase, search", "(ctxpack context --help"])
    expect(2, *session, "sett", says=["there is no subcommand sett", "(ctxpack context --help"])
    expect(2, *session, "get", "a", "b", says=["nothing takes the argument b", "(ctxpack context get --help"])
    expect(2, "context", *store, "get", "a", says=["--session is missing: Id of the session", "(ctxpack context --help"])
    expect(2, "thread", *store, "append", "t", "--role", "user",
           says=["--content is missing: Text of the message", "(ctxpack thread append --help"])


def misspelt(directory, request):
    """A model that is not known is said the same way, whichever command is given it."""
    names = '"gtp-5" is not known (did you mean gpt-5, '
    text, runs = directory / "few.txt", directory / "one.jsonl"
    text.write_text("hello world")
    runs.write_text(json.dumps(recorded_run()) + "\n")
    for arguments in (["count", text], ["simulate", runs, "--budget", 4000, "--price", "local"],
                      ["build", request, "--budget", 4000], ["plan", request, "--budget", 4000]):
        expect(0, *arguments, "--model", "gtp-5", says=[f"ctxpack: --model: the model {names}"])
        check("one that is known is not warned of", b"not known" not in run(*arguments, "--model", "gpt-5").stderr)
    expect(0, "build", request, "--summarizer-model", "gtp-5", says=[f"--summarizer-model: the model {names}"])
    expect(2, "simulate", runs, "--budget", 4000, "--model", "gtp-5", says=[f"--model: the model {names}"])
    check("a name that is near none is simulated without prices",
          "no price" in expect(0, "simulate", runs, "--budget", 4000, "--model", "our-harbour-master").lower())
    expect(2, "build", request, "--model", "gtp-5", says=[f"the window of the model {names}"])
    stranger = run("count", text, "--model", "our-harbour-master").stderr
    check("what is near nothing has no names", b"is not known: its window" in stranger)


def sessions(directory, request):
    store = ["--store", f"sqlite:{directory / 'store.db'}"]
    if b"built without" in run("context", *store, "--session", "s", "list").stderr:
        return
    session = ["context", *store, "--session", "s"]
    for words in (["get", "note"], ["list"], ["search", "barn"]):
        expect(1, *session, *words, says=["store.db", "no such file"])
    check("reading leaves no file behind", not (directory / "store.db").exists())
    expect(0, *session, "set", "note", "the blue barn")
    check("get", expect(0, *session, "get", "note") == "the blue barn")
    check("a page", expect(0, *session, "get", "note", "--offset", 4, "--limit", 4) == "blue")
    check("list", expect(0, *session, "list") == "13\tnote\n")
    check("search", "note\t" in expect(0, *session, "search", "barn"))
    expect(1, *session, "get", "absent")
    expect(2, *session, "set", "note", says=["value or --file is missing: The value itself"])
    nested_errors(session, store)
    check("the parser's own words are in no help", "from the following list" not in expect(0, "context", "set", "--help"))
    expect(2, "context", "--store", "mysql://host/db", "--session", "s", "list", says=["threads only", "sqlite:PATH"])
    expect(0, *session, "set", "a\n\x1b[31mb\\", "heron\x1b[31m")
    check("a terminal acts on no key", expect(0, *session, "list", "a") == "10\ta\\x0a\\x1b[31mb\\x5c\n")
    check("nor on a passage", "\x1b" not in expect(0, *session, "search", "heron"))
    expect(1, "context", *store, "--session", "other", "get", "note")
    built = expect(0, "build", request, "--budget", 2000, *store, "--session", "s")
    check("a handle is promised", "get_context" in built)
    check("and what it promises is kept", len(expect(0, *session, "list", "artifact:").splitlines()) == 1)


def rendering(directory):
    template, data = directory / "prompt.j2", directory / "data.json"
    template.write_text("Hello {{ name }}!")
    data.write_text('{"name": "Ada"}')
    check("render", expect(0, "render", template, data) == "Hello Ada!")
    check("undefined is empty", expect(0, "render", template) == "Hello !")
    expect(2, "render", template, "--strict", says=["prompt.j2"])
    data.write_text("{")
    expect(2, "render", template, data, says=["data.json"])
    template.write_text("{% if %}")
    expect(2, "render", template, says=["line 1"])


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        request = directory / "request.json"
        request.write_text(json.dumps(REQUEST))
        check("--help", b"build" in run("--help").stdout)
        check("--version", run("--version").returncode == 0)
        build_and_plan(directory, request)
        build_anthropic(directory)
        build_errors(directory, request)
        services(request)
        counting(directory)
        selecting(directory)
        selecting_by_meaning(directory)
        whole_builds(directory)
        simulating(directory)
        misspelt(directory, request)
        recalling(directory)
        simulating_errors(directory)
        scoring(directory)
        sessions(directory, request)
        rendering(directory)
        for_people(directory, request)
        attachments(directory, request)
        reports(directory, request)
        mcp(directory)
        if b"serve" in run("--help").stdout:
            serve_errors()
    print("\n".join(FAILURES) if FAILURES else "all well")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
