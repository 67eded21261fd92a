#!/usr/bin/env python3
"""A scripted model, so that the proxy can be tried without a key: upstream.py [PORT [MOST_BYTES]]

It speaks OpenAI's Chat Completions and Anthropic's Messages, streamed and not. It asks for one tool call after the other. If the
last message is the user's and no longer the first, it answers from what stands in the request, and only from that.
Like such services it keeps the beginnings of requests: what a request shares with an earlier one is reported as cached.
A request of more than MOST_BYTES is refused, as one that is too long. It prints the port that it listens on.
"""
import http.server
import collections
import json
import os.path
import re
import sys

ANSWER = re.compile("The fee of berth 7 is [0-9]+ crowns")
PLACES = ["harbour", "crane", "depot", "ledger", "tariff", "berth", "pilot", "customs", "quay", "signal"]


def asks_something(messages):
    """Whether the user speaks behind what the model has done."""
    return messages[-1]["role"] == "user" and isinstance(messages[-1]["content"], str) and messages[-1]["content"].endswith("?")


def answer_from(messages):
    found = ANSWER.search(json.dumps(messages))
    return f"{found[0]}." if found else "I do not know: nothing that I was sent says so."


def results_in(messages):
    """How many results of tools a request holds, or says that it held: the proxy may have cut the oldest."""
    count = 0
    for message in messages:
        if message["role"] == "tool":
            count += 1
        if isinstance(message["content"], list):
            count += sum(part.get("type") == "tool_result" for part in message["content"])
    return count


class PromptCache:
    """As a service has it: the longest beginning that an earlier request had, too. Four characters count as a token."""

    def __init__(self):
        self.earlier = collections.deque(maxlen=64)

    def tokens_of(self, request):
        text = json.dumps([request.get("tools"), request.get("system"), request["messages"]])
        cached = max((len(os.path.commonprefix([text, other])) for other in self.earlier), default=0)
        self.earlier.append(text)
        return len(text) // 4, cached // 4


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "gpt-5.6", "object": "model"}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if len(body) > self.server.most_bytes:
            return self.answer({"type": "error", "error": {"type": "invalid_request_error", "message": "too long",
                                                           "code": "context_length_exceeded"}}, 400)
        request = json.loads(body)
        step = int(self.headers.get("x-script-step", results_in(request["messages"])))
        size, cached = self.server.cache.tokens_of(request)
        call = None
        if request.get("tools") and not asks_something(request["messages"]):
            call = {"path": f"records/{PLACES[step % len(PLACES)]}-{step}.md"}
        form = self.anthropic if self.path.startswith("/v1/messages") else self.openai
        form(request, step, call, size, cached)

    def openai(self, request, step, call, size, cached):
        message = {"role": "assistant", "content": None if call else answer_from(request["messages"])}
        if call:
            function = {"name": "read_file", "arguments": json.dumps(call)}
            message["tool_calls"] = [{"id": f"call_{step}", "type": "function", "function": function}]
        reason = "tool_calls" if call else "stop"
        usage = {"prompt_tokens": size, "completion_tokens": 20, "total_tokens": size + 20,
                 "prompt_tokens_details": {"cached_tokens": cached}}
        head = {"id": f"chatcmpl-{step}", "created": 1, "model": request["model"]}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self.answer({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        delta = dict(message)
        if call:
            delta["tool_calls"] = [{"index": 0, **message["tool_calls"][0]}]
        chunk = {**head, "object": "chat.completion.chunk"}
        self.stream([(None, {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
                     (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
                     (None, {**chunk, "choices": [], "usage": usage}), (None, "[DONE]")])

    def anthropic(self, request, step, call, size, cached):
        if call:
            block = {"type": "tool_use", "id": f"toolu_{step}", "name": "read_file", "input": call}
        else:
            block = {"type": "text", "text": answer_from(request["messages"])}
        usage = {"input_tokens": size - cached, "cache_read_input_tokens": cached, "output_tokens": 20}
        reason = "tool_use" if call else "end_turn"
        message = {"id": f"msg_{step}", "type": "message", "role": "assistant", "model": request["model"],
                   "content": [block], "stop_reason": reason, "stop_sequence": None, "usage": usage}
        if not request.get("stream"):
            return self.answer(message)
        empty = {**block, "input": {}} if call else {**block, "text": ""}
        delta = ({"type": "input_json_delta", "partial_json": json.dumps(call)} if call
                 else {"type": "text_delta", "text": block["text"]})
        events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
                  {"type": "content_block_start", "index": 0, "content_block": empty},
                  {"type": "content_block_delta", "index": 0, "delta": delta},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}},
                  {"type": "message_stop"}]
        self.stream([(event["type"], event) for event in events])

    def answer(self, body, status=200):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, event in events:
            text = event if isinstance(event, str) else json.dumps(event)
            piece = ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


def main():
    server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Model)
    server.cache = PromptCache()
    server.most_bytes = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 30
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
