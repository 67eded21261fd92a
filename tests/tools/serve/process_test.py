#!/usr/bin/env python3
"""The proxy as a process: process_test.py CTXPACK

Signals, readers that go away or stand still, threads and memory that the system does not give, and what is under way at the end.
"""
import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from service import OK, Service, start_service

CHAT = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi."}]})
JSON = {"content-type": "application/json"}


class Slow(Service):
    """Answers at once, unless it holds; of /v1/slow one piece, and the rest when it may; of /v1/endless more than any buffer holds."""

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        try:
            super().do_POST()
        except OSError:
            pass  # The proxy may have gone.

    def answer(self, value):
        if self.path not in ("/v1/slow", "/v1/endless"):
            if self.server.holds.is_set():
                self.server.released.wait(30)
            return super().answer(value)
        self.begin_stream()
        while self.path == "/v1/endless":
            self.wfile.write(b"data: more\n\n" * 1000)
        self.server.released.wait(30)
        self.wfile.write(b"data: 2\n\n")


class Proxy:
    def __init__(self, ctxpack, service, *more, **how):
        command = [ctxpack, "serve", "--upstream", service.url, "--listen", "127.0.0.1:0", *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **how)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def open(self, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        connection.request("POST" if body else "GET", path, body, JSON)
        return connection.getresponse()

    def chat(self):
        answer = self.open("/v1/chat/completions", CHAT)
        answer.read()
        return answer.status

    def connect(self, head):
        client = socket.create_connection(("127.0.0.1", self.port))
        client.settimeout(40)
        client.sendall(head.encode())
        return client

    def end(self, *signals):
        """Seconds from the first signal to the end."""
        began = time.monotonic()
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.3)
        code = self.process.wait(40)
        assert code == 0, code
        return time.monotonic() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def a_log_without_a_reader_costs_nothing(ctxpack, service):
    reader, writer = os.pipe()
    with Proxy(ctxpack, service, "--log-json", stderr=writer) as proxy:
        os.close(writer)
        assert proxy.chat() == 200 and b'"status":200' in os.read(reader, 65536)
        os.close(reader)
        for _ in range(3):
            assert proxy.chat() == 200
        assert proxy.end(signal.SIGTERM) < 5


def a_log_whose_reader_stands_still_holds_no_request_up(ctxpack, service):
    reader, writer = os.pipe()
    with Proxy(ctxpack, service, "--log-json", stderr=writer) as proxy:
        os.close(writer)
        for _ in range(700):  # Several times what a pipe holds.
            assert proxy.chat() == 200
        os.read(reader, 1 << 20)
        assert proxy.chat() == 200
        assert b'"lines_lost":' in os.read(reader, 65536)
    os.close(reader)


def a_closed_terminal_elsewhere_does_not_end_it(ctxpack, service):
    with Proxy(ctxpack, service, stderr=subprocess.DEVNULL) as proxy:
        proxy.process.send_signal(signal.SIGHUP)
        assert proxy.chat() == 200
        assert proxy.end(signal.SIGTERM) < 5


def what_is_passed_on_ends_before_the_proxy(ctxpack, service):
    service.released.clear()
    with Proxy(ctxpack, service) as proxy:
        stream = proxy.open("/v1/slow")
        assert stream.read(9) == b"data: 1\n\n"
        proxy.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert proxy.process.poll() is None, "a stream was cut"
        assert proxy.open("/v1/models").status == 503
        service.released.set()
        assert stream.read() == b"data: 2\n\n"
        assert proxy.process.wait(10) == 0


def a_client_that_does_not_read_keeps_nobody(ctxpack, service):
    for signals, most in (((signal.SIGTERM,), 7), ((signal.SIGTERM, signal.SIGTERM), 3), ((signal.SIGINT, signal.SIGTERM), 3)):
        with Proxy(ctxpack, service, "--grace", "3" if len(signals) == 1 else "30") as proxy:
            client = proxy.connect("GET /v1/endless HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert client.recv(10)
            time.sleep(0.5)  # Until every buffer on the way is full.
            took = proxy.end(*signals)
            assert took < most, f"{len(signals)} signals: {took:.1f} s"
            client.close()


def a_body_that_comes_during_the_end_is_answered(ctxpack, service):
    with Proxy(ctxpack, service) as proxy:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(CHAT)}\r\n\r\n"
        client = proxy.connect(head + CHAT[:20])
        time.sleep(0.3)
        proxy.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        client.sendall(CHAT[20:].encode())
        answer = client.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200"), answer
        assert proxy.process.wait(10) == 0


def no_answer_at_the_end_is_a_503(ctxpack, service):
    service.released.clear()
    with Proxy(ctxpack, service, "--grace", "1") as proxy:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(CHAT)}\r\n\r\n"
        service.holds.set()
        client = proxy.connect(head + CHAT)
        time.sleep(0.3)
        proxy.process.send_signal(signal.SIGTERM)
        answer = client.recv(65536)
        service.holds.clear()
        assert answer.startswith(b"HTTP/1.1 503"), answer
        assert proxy.process.wait(10) == 0
    service.released.set()


def threads_that_cannot_be_made_are_not_the_end(ctxpack, service):
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (800 << 20, 800 << 20))

    with tempfile.TemporaryFile() as errors:
        with Proxy(ctxpack, service, preexec_fn=bound, stderr=errors) as proxy:
            assert proxy.chat() == 200
            assert proxy.end(signal.SIGTERM) < 10
        errors.seek(0)
        assert b"of 256 threads" in errors.read()


def keys_are_in_no_core_file(ctxpack, service):
    with Proxy(ctxpack, service) as proxy:
        with open(f"/proc/{proxy.process.pid}/limits") as limits:
            core = next(line for line in limits if line.startswith("Max core file size"))
        assert core.split()[4:6] == ["0", "0"], core
        if os.geteuid() != 0:
            assert os.stat(f"/proc/{proxy.process.pid}/mem").st_uid == 0, "its memory is open to programs of the same user"


CASES = [a_log_without_a_reader_costs_nothing, a_log_whose_reader_stands_still_holds_no_request_up,
         a_closed_terminal_elsewhere_does_not_end_it, what_is_passed_on_ends_before_the_proxy,
         a_client_that_does_not_read_keeps_nobody, a_body_that_comes_during_the_end_is_answered, no_answer_at_the_end_is_a_503,
         threads_that_cannot_be_made_are_not_the_end, keys_are_in_no_core_file]


def main():
    service = start_service(Slow, released=threading.Event(), holds=threading.Event())
    failed = []
    for case in CASES:
        if len(sys.argv) > 2 and sys.argv[2] not in case.__name__:
            continue
        try:
            case(sys.argv[1], service)
        except (AssertionError, OSError, subprocess.TimeoutExpired, http.client.HTTPException) as error:
            failed.append(case.__name__)
            print(f"{case.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
