#!/usr/bin/env python3
"""`ctxpack run -- PROGRAM`: run_test.py CTXPACK

The program gets the addresses that it reads, its exit code and its signals are its own, and nothing is left running.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from service import Service, start_service

AGENT = """#!{python}
import http.client, json, os, signal, sys, urllib.parse
if "wait" in sys.argv:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    signal.signal(signal.SIGUSR1, lambda *_: sys.exit(4))
    print("waits", flush=True)
    signal.pause()
names = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ENABLE_TOOL_SEARCH")
print(json.dumps({{"arguments": sys.argv[1:], **{{name: os.environ.get(name) for name in names}}}}), flush=True)
url = urllib.parse.urlparse(os.environ.get("ANTHROPIC_BASE_URL") or os.environ["OPENAI_BASE_URL"])
messages = [{{"role": "user", "content": "Keep the books."}}]
for turn in range(int(os.environ.get("TURNS", "12"))):
    body = json.dumps({{"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages}})
    client = http.client.HTTPConnection(url.hostname, url.port)
    client.request("POST", "/v1/messages", body, {{"content-type": "application/json", "x-api-key": "k"}})
    answer = client.getresponse()
    assert answer.status == 200, answer.read()
    answer.read()
    entries = " ".join(f"entry {{turn * 31 + i}} of the ledger" for i in range(60))
    messages += [{{"role": "assistant", "content": f"Noted, {{turn}}."}}, {{"role": "user", "content": entries}}]
sys.exit(7)
"""


class Claude(Service):
    def made_of(self, _body):
        return {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "ok"}]}


class Runner:
    def __init__(self, ctxpack, folder, service):
        self.ctxpack, self.folder = ctxpack, folder
        self.environment = {"PATH": f"{folder}:{os.environ['PATH']}", "ANTHROPIC_BASE_URL": service.url}
        for name in ("claude", "my-agent"):
            path = os.path.join(folder, name)
            with open(path, "w") as script:
                script.write(AGENT.format(python=sys.executable))
            os.chmod(path, 0o755)

    def start(self, *arguments, **more):
        return subprocess.Popen([self.ctxpack, "run", *arguments], env={**self.environment, **more}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *arguments, **more):
        process = self.start(*arguments, **more)
        out, errors = process.communicate(timeout=60)
        return process.returncode, out, errors.replace("\u00a0", " ").replace("\u202f", " ")


def check_claude(runner, service):
    code, out, errors = runner.run("--budget", "2000", "--", "claude", "--print", "a -- b", "[x,y]", "--budget", "7")
    assert code == 7, (code, errors)
    seen = json.loads(out)
    assert seen["arguments"] == ["--print", "a -- b", "[x,y]", "--budget", "7"], seen
    assert seen["ENABLE_TOOL_SEARCH"] == "true" and seen["OPENAI_BASE_URL"] is None, seen
    port = int(seen["ANTHROPIC_BASE_URL"].rsplit(":", 1)[1])
    assert socket.socket().connect_ex(("127.0.0.1", port)) != 0, "something still listens"
    assert "at most 2000 tokens" in errors and "12 requests in 1 conversation:" in errors, errors
    assert "Saved $" in errors or "more than to send everything" in errors, errors
    assert "Left out of the last requests: " in errors and "Added to each request: " in errors, errors
    assert len(service.bodies) == 12 and max(map(len, service.bodies)) < 12_000


def check_unknown(runner, service):
    code, out, errors = runner.run("--", os.path.join(runner.folder, "my-agent"), TURNS="1")
    seen = json.loads(out)
    assert code == 7 and "is not a program that ctxpack knows" in errors, errors
    assert seen["ANTHROPIC_BASE_URL"] == seen["ANTHROPIC_API_BASE"] != runner.environment["ANTHROPIC_BASE_URL"], seen
    assert seen["OPENAI_BASE_URL"] == seen["OPENAI_API_BASE"] and seen["OPENAI_BASE_URL"].endswith("/v1"), seen
    assert seen["ENABLE_TOOL_SEARCH"] is None
    code, _, errors = runner.run("--", "my-agent", TURNS="0")
    assert code == 7 and "sent no request through the proxy" in errors, errors


def check_shadow(runner, service):
    service.bodies.clear()
    code, _, errors = runner.run("--shadow", "--budget", "2000", "--", "claude")
    assert code == 7 and "at 2 000 tokens you would have paid " in errors, errors
    assert max(map(len, service.bodies)) > 12_000, "requests go on untouched"


def check_ends(runner):
    for number, expected in ((signal.SIGTERM, 3), (signal.SIGUSR1, 4)):
        process = runner.start("--", "claude", "wait")
        assert process.stdout.readline() == "waits\n"
        process.send_signal(number)
        code = process.wait(20)
        assert code == expected, (number, code)
        process.communicate()
    assert runner.run("--", "no-such-program")[0] == 127
    assert runner.run("--", runner.folder)[0] == 126
    assert runner.run()[0] == 2
    began = time.monotonic()
    process = runner.start("--", "claude", "wait")
    assert process.stdout.readline() == "waits\n"
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(children[0]), signal.SIGKILL)
    assert process.wait(20) == 128 + signal.SIGKILL and time.monotonic() - began < 15
    process.communicate()


def main():
    service = start_service(Claude)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1], folder, service)
        check_claude(runner, service)
        check_unknown(runner, service)
        check_shadow(runner, service)
        check_ends(runner)


if __name__ == "__main__":
    main()
