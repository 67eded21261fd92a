#!/usr/bin/env python3
"""What the proxy adds to a request, and what it takes to hold many streams: serve_bench.py CTXPACK

Prints the median of a request of about 8 000 tokens that fits, sent to a scripted service directly and through `ctxpack
serve`, in turns, each request one message longer than the one before; and the proxy's resident memory while 200 streams are
open at once. Everything runs on this machine.
"""
import http.client
import http.server
import json
import socket
import statistics
import subprocess
import sys
import threading
import time

STREAMS = 200
REQUESTS = 60


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    release = threading.Event()
    waiting = 0
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if b'"stream":true' in body:
            return self.stream()
        answer = b'{"choices":[{"message":{"role":"assistant","content":"ok"}}]}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def stream(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                         b"9\r\ndata: 1\n\n\r\n")
        with Service.lock:
            Service.waiting += 1
        Service.release.wait()
        self.wfile.write(b"9\r\ndata: 2\n\n\r\n0\r\n\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


def conversation(turns):
    messages = [{"role": "system", "content": "Be brief."}]
    for turn in range(turns):
        words = " ".join(f"entry {turn * 31 + i} of the ledger" for i in range(24))
        messages += [{"role": "user", "content": words}, {"role": "assistant", "content": f"Noted, {turn}."}]
    return messages + [{"role": "user", "content": "And now?"}]


def ask(connection, body):
    began = time.perf_counter()
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
    return time.perf_counter() - began


def measure_latency(upstream, proxy):
    direct, through = (http.client.HTTPConnection("127.0.0.1", port) for port in (upstream, proxy))
    times = {"direct": [], "through": []}
    for number in range(REQUESTS):
        body = json.dumps({"model": "gpt-4o", "messages": conversation(44 + number // 12)}).encode()
        times["direct"].append(ask(direct, body))
        times["through"].append(ask(through, body))
    before, after = (statistics.median(times[name]) * 1000 for name in ("direct", "through"))
    print(f"a request of {len(body)} bytes: {before:.2f} ms directly, {after:.2f} ms through the proxy: "
          f"{after - before:.2f} ms more at the median")


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024


def hold_stream(port, body, ends):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    ends.append(connection.getresponse().read())


def measure_streams(proxy, pid):
    before, ends = resident_mb(pid), []
    body = json.dumps({"model": "gpt-4o", "stream": True, "messages": conversation(44)}, separators=(",", ":")).encode()
    threads = [threading.Thread(target=hold_stream, args=(proxy, body, ends)) for _ in range(STREAMS)]
    for thread in threads:
        thread.start()
    while Service.waiting < STREAMS:
        time.sleep(0.05)
    held = resident_mb(pid)
    Service.release.set()
    for thread in threads:
        thread.join()
    assert ends.count(b"data: 1\n\ndata: 2\n\n") == STREAMS
    print(f"{STREAMS} streams: {held:.0f} MB resident ({before:.0f} MB before)")


def main():
    service = Server(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    upstream = service.server_address[1]
    command = [sys.argv[1], "serve", "--upstream", f"http://127.0.0.1:{upstream}", "--budget", "9000", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy:
        port = int(proxy.stdout.readline().rsplit(":", 1)[1])
        try:
            measure_latency(upstream, port)
            measure_streams(port, proxy.pid)
        finally:
            proxy.terminate()


if __name__ == "__main__":
    main()
