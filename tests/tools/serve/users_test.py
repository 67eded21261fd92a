#!/usr/bin/env python3
"""Two users with one key share nothing: users_test.py CTXPACK

Acts as a front that has the token and names its users in a header, and knows only what docs/serve.md says. Alice keeps something of
every kind; then Bob sends the same words, asks for the same names, and gets nothing of hers: memory, readings, conversation,
session, receipts, attachments, page, and what her requests taught.
"""
import http.client
import json
import subprocess
import sys

from service import Service, start_service

TOKEN, CARD = "front-token", "4929-7788-1200-3311"
KEY = {"authorization": "Bearer one key for all"}


def text_of(body):
    return json.dumps(body, ensure_ascii=False)


class Model(Service):
    """A model that writes the card into its memory when it is told, and looks there when it is asked."""

    def do_GET(self):
        self.answer({"object": "list", "data": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((dict(self.headers), body))
        messages = body["messages"]
        last = messages[-1]
        usage = {"prompt_tokens": self.server.counts * len(text_of(messages)) // 5, "completion_tokens": 1}
        message = {"role": "assistant", "content": "ok"}
        if last["role"] == "tool":
            message["content"] = last["content"]
        elif CARD in text_of(last):
            message = self.call({"command": "create", "path": "/memories/card.md", "file_text": CARD})
        elif "card" in text_of(last):
            message = self.call({"command": "view", "path": "/memories/card.md"})
        self.answer({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage})

    @staticmethod
    def call(arguments):
        return {"role": "assistant", "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "memory", "arguments": json.dumps(arguments)}}]}


class Proxy:
    def __init__(self, ctxpack, service):
        command = [ctxpack, "serve", "--upstream", f"{service.url}/v1", "--budget", "4000",
                   "--memory", "x-user", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"CTXPACK_SERVE_TOKEN": TOKEN})
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def ask(self, user, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"content-type": "application/json", "x-ctxmgr-token": TOKEN, "x-user": user, **KEY, **named})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())

    def chat(self, user, words, messages=(), **headers):
        body = {"model": "gpt-4o", "messages": [*messages, {"role": "user", "content": words}]}
        status, text, got = self.ask(user, "POST", "/v1/chat/completions", body, **headers)
        assert status == 200, (status, text)
        return json.loads(text)["choices"][0]["message"]["content"], got


def check_all(proxy, service):
    proxy.chat("alice", f"Remember my card: {CARD}")
    said, alice = proxy.chat("alice", "What is my card?")
    assert CARD in said, said
    _, named = proxy.chat("alice", "Hello.", x_ctxmgr_thread="shared-name")
    status, _, _ = proxy.ask("alice", "POST", "/v1/attachments", {"attachment_id": "doc", "content": f"The card is {CARD}."})
    assert status == 200
    receipt = "/v1/receipts/" + alice["x-ctxmgr-receipt-id"]
    assert proxy.ask("alice", "GET", receipt)[0] == 200
    assert "shared-name" in proxy.ask("alice", "GET", alice["x-ctxmgr-page"])[1]
    assert "shared-name" not in proxy.ask("bob", "GET", "/")[1], "the page without an owner shows nobody's conversations"
    before = len(service.seen)

    said, bob = proxy.chat("bob", "What is my card?")
    assert CARD not in said, "the same words brought Alice's readings"
    _, bob_named = proxy.chat("bob", "Hello.", x_ctxmgr_thread="shared-name")
    for name in ("x-ctxmgr-session", "x-ctxmgr-page"):
        assert alice[name] != bob[name] and named[name] != bob_named[name], name
    assert proxy.ask("bob", "GET", receipt)[0] == 404
    asks = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi."}], "attachments": [{"attachment_id": "doc"}]}
    assert proxy.ask("bob", "POST", "/v1/chat/completions", asks)[0] == 404
    assert proxy.ask("alice", "POST", "/v1/chat/completions", asks)[0] == 200
    of_bob = [body for headers, body in service.seen[before:-1]]
    assert CARD not in text_of(of_bob), "something of Alice's is in a request of Bob's"
    assert alice["x-ctxmgr-receipt-id"] not in proxy.ask("bob", "GET", bob["x-ctxmgr-page"])[1]


def check_learning(proxy, service):
    """Alice's model counts twice as much; Bob's room stays what it was."""
    long = [m for i in range(40) for m in ({"role": "user", "content": f"entry {i} " * 40}, {"role": "assistant", "content": "Noted."})]

    def room(user):
        _, headers = proxy.chat(user, "Go on.", long, x_ctxmgr_receipt="header")
        return json.loads(headers["x-ctxmgr-receipt"])["max_input_tokens"]

    before = room("bob")
    service.counts = 2
    for _ in range(3):
        room("alice")
    service.counts = 1
    assert room("alice") < before, "nothing was learned, so nothing is shown here"
    assert room("bob") == before, "what Alice's requests taught changed Bob's room"


def main():
    service = start_service(Model, seen=[], counts=1)
    proxy = Proxy(sys.argv[1], service)
    try:
        check_all(proxy, service)
        check_learning(proxy, service)
        for headers, _ in service.seen:
            assert TOKEN not in text_of(headers) and "x-user" not in {name.lower() for name in headers}
        print(f"{len(service.seen)} requests of two users with one key shared nothing")
    finally:
        proxy.process.kill()
        proxy.process.wait()


if __name__ == "__main__":
    main()
