#!/usr/bin/env python3
"""Two proxies on one Redis do what one does: instances_test.py CTXPACK

A conversation of 24 requests goes to one proxy, and the same to two others in turns: the service gets the same bytes. Then one
of the two is killed while it holds a stream: the stream ends, and the conversation goes on at the other as if nothing had been.
Last the Redis stands still: it costs the requests one time limit, not one each. Skipped (77) without redis-server.
"""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from service import OK, Service, start_service

STEPS = 24


class Holding(Service):
    """Of what is streamed, a piece and no end."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if b'"stream":true' in body.replace(b" ", b""):
            self.begin_stream()
            return self.server.released.wait()
        self.server.bodies.append(body)
        self.answer({**OK, "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 1}})


class Proxy:
    def __init__(self, ctxpack, service, store):
        self.process = subprocess.Popen([ctxpack, "serve", "--upstream", service.url, "--budget", "3000",
                                         "--listen", "127.0.0.1:0", "--store", store], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def open(self, messages, **more):
        body = json.dumps({"model": "gpt-4o", "messages": messages, **more})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json", "authorization": "Bearer k"})
        return connection.getresponse()

    def ask(self, messages):
        answer = self.open(messages)
        text = answer.read()
        assert answer.status == 200, text
        return text

    def kill(self):
        self.process.kill()
        self.process.wait()


def conversation(step):
    messages = [{"role": "system", "content": "Keep the books."}, {"role": "user", "content": "Read the ledgers."}]
    for i in range(step):
        call = {"id": f"call_{i}", "type": "function", "function": {"name": "read_file", "arguments": json.dumps({"path": f"ledger-{i}.md"})}}
        words = "\n".join(f"Entry {j} of ledger {i}: berth {j % 12}, paid {100 + i * 13 + j} crowns." for j in range(40))
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]},
                     {"role": "tool", "tool_call_id": f"call_{i}", "content": words}]
    return messages


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_redis(folder, port):
    redis = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return redis
        time.sleep(0.05)
    raise RuntimeError("redis-server did not start")


def main():
    if not shutil.which("redis-server"):
        print("skipped: no redis-server", file=sys.stderr)
        sys.exit(77)
    ctxpack, started = sys.argv[1], []
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        redis = start_redis(folder, port)
        try:
            alone, together = (start_service(Holding, released=threading.Event()) for _ in range(2))
            one = Proxy(ctxpack, alone, f"redis://127.0.0.1:{port}/1")
            two = [Proxy(ctxpack, together, f"redis://127.0.0.1:{port}/2") for _ in range(2)]
            started += [one, *two]
            half = STEPS // 2
            for step in range(half):
                one.ask(conversation(step))
                two[step % 2].ask(conversation(step))
            stream = two[0].open([{"role": "user", "content": "Another conversation."}], stream=True)
            assert stream.read(9) == b"data: 1\n\n"
            two[0].kill()
            together.released.set()
            try:
                rest = stream.read()
            except (http.client.IncompleteRead, ConnectionError):
                rest = b""
            assert rest == b"", "a stream of a proxy that was killed went on"
            for step in range(half, STEPS):
                one.ask(conversation(step))
                two[1].ask(conversation(step))
            assert len(alone.bodies) == len(together.bodies) == STEPS
            for number, (expected, sent) in enumerate(zip(alone.bodies, together.bodies)):
                assert expected == sent, f"request {number} is another one"
            sizes = [len(body) for body in together.bodies]
            assert any(later < before for before, later in zip(sizes, sizes[1:])), "nothing was compacted"
            os.kill(redis.pid, signal.SIGSTOP)
            times = []
            for _ in range(6):
                began = time.monotonic()
                two[1].ask(conversation(3))
                times.append(time.monotonic() - began)
            os.kill(redis.pid, signal.SIGCONT)
            slow = sum(taken > max(times) / 2 for taken in times)
            assert slow == 1, f"a Redis that stands still cost {slow} requests its time limit: {times}"
            print(f"{STEPS} requests are the same bytes; a Redis that stood still cost {max(times):.1f} s once, then {min(times):.2f} s")
        finally:
            for proxy in started:
                proxy.kill()
            os.kill(redis.pid, signal.SIGCONT)
            redis.terminate()
            redis.wait()


if __name__ == "__main__":
    main()
