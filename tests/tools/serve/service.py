"""A model's service on a free loopback port, as the tests of the proxy need one."""
import http.server
import json
import threading

OK = {"choices": [{"message": {"role": "assistant", "content": "ok"}}]}


class Service(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent in `server.bodies`, and answers with what `made_of()` makes of it."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # Else each answer is 40 ms late, since its head and body are two packets.

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.bodies.append(body)
        self.answer(self.made_of(body))

    def made_of(self, _body):
        return OK

    def answer(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(b"data: 1\n\n")
        self.wfile.flush()


def start_service(handler=Service, **fields):
    """With these fields of `server`."""
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    service.daemon_threads, service.bodies = True, []
    for name, value in fields.items():
        setattr(service, name, value)
    service.url = f"http://127.0.0.1:{service.server_address[1]}"
    threading.Thread(target=service.serve_forever, daemon=True).start()
    return service
