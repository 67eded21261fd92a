#!/usr/bin/env python3
"""What the proxy adds to requests, and what it takes: serve_bench.py CTXPACK [PART...]

  latency    median of a request of about 8 000 tokens, directly and through the proxy, in turns, and the proxy's processor time for
             it: of a thread that grows to them within the budget, of one over it that is compacted, never seen before, and of
             one with 100 KB of tools, for which there is no room
  long       processor time of the proxy for a request of 1 000 and of 10 000 messages that goes on from the one before
  memory     resident memory after 30 requests of 13 MB
  growth     resident memory at each fifth of 3 000 conversations of 20 steps, 50 at once, without a store
  streams    resident memory while 200 streams are open at once
  unread     resident memory while 12 clients do not read answers of 60 MB
  instances  1 000 conversations of 20 steps, 50 at once, through one proxy and through two on one Redis in turns (needs
             redis-server): errors, resident memory, and the 50th and 99th percentile of the time added. No conversation begins
             after five minutes of either
  stops      100 conversations (stops=1000: so many) of 20 streamed steps, 50 at once, two proxies on one Redis (needs
             redis-server), of which one is killed and the other told to stop on the way, and each is started again: answers that broke,
             were refused, or failed everywhere, and the time from the signal to the end
  limits     200 conversations of 5 steps through a proxy whose store can write no more (a disk that is full, as SQLite sees it), and
             through one that may open 40 files: errors, and whether it answers afterwards

All parts without a name. The scripted service and the clients run in this process, on the same machine; the time added is from
the client's first byte to the service's whole request, and from its answer to the client's whole answer.
"""
import asyncio
import json
import os
import random
import shutil
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

STREAMS = 200
SYLLABLES = ["berth", "crane", "fee", "gate", "hull", "keel", "list", "mast", "port", "quay", "rope", "sail"]
TOOLS = [{"type": "function", "function": {"name": "read_file",
                                           "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}]
ANSWER = b'{"choices":[{"message":{"role":"assistant","content":"ok"}}]}'


class Service:
    """Answers at once; holds streams until they are released. Notes when a request had come, by its header x-number."""

    def __init__(self):
        self.arrived = {}
        self.answered = {}
        self.waiting = 0
        self.release = asyncio.Event()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 25)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
                body = await reader.readexactly(int(fields.get(b"content-length", 0)))
                number = fields.get(b"x-number")
                self.arrived[number] = time.perf_counter()
                if b'"stream": true' in body or b'"stream":true' in body:
                    await self.stream(writer)
                else:
                    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                                 % (len(ANSWER), ANSWER))
                self.answered[number] = time.perf_counter()
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def stream(self, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                     b"9\r\ndata: 1\n\n\r\n")
        self.waiting += 1
        await self.release.wait()
        writer.write(b"9\r\ndata: 2\n\n\r\n0\r\n\r\n")


class Client:
    def __init__(self, port):
        self.port = port
        self.writer = None
        self.has_head = False  # Of the last answer.

    async def ask(self, body, headers=""):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 25)
        head = (f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\n{headers}\r\n").encode()
        self.writer.write(head + body)
        await self.writer.drain()
        self.has_head = False
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        self.has_head = True
        if b"transfer-encoding: chunked" in answer:
            text = b""
            while size := int(await self.reader.readline(), 16):
                text += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        else:
            length = int(answer.split(b"content-length: ")[1].split(b"\r\n")[0])
            text = await self.reader.readexactly(length)
        return int(answer.split(b" ", 2)[1]), text

    def close(self):
        if self.writer is not None:
            self.writer.close()


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024


class Proxy:
    def __init__(self, ctxpack, service, budget=9000, store=None, before=None):
        command = [ctxpack, "serve", "--upstream", f"http://127.0.0.1:{service.port}", "--budget", str(budget),
                   "--listen", "127.0.0.1:0"] + (["--store", store] if store else [])
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=before)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def resident_mb(self):
        return resident_mb(self.process.pid)

    def processor_ms(self):
        threads = f"/proc/{self.process.pid}/task"
        total = 0
        for thread in os.listdir(threads):
            with open(f"{threads}/{thread}/schedstat", encoding="ascii") as times:
                total += int(times.read().split()[0])
        return total / 1e6

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def body_of(messages, **more):
    return json.dumps({"model": "gpt-4o", "messages": messages, **more}).encode()


def conversation(turns, name=""):
    messages = [{"role": "system", "content": f"Be brief.{name}"}]
    for turn in range(turns):
        words = " ".join(f"entry {turn * 31 + i} of the ledger" for i in range(24))
        messages += [{"role": "user", "content": words}, {"role": "assistant", "content": f"Noted, {turn}."}]
    return messages + [{"role": "user", "content": "And now?"}]


async def timed(client, body):
    began = time.perf_counter()
    status, _ = await client.ask(body)
    assert status == 200, status
    return (time.perf_counter() - began) * 1000


def read_files(first, last, lines):
    """What an agent adds that reads so many files, none like another."""
    messages = []
    for number in range(first, last):
        chance = random.Random(number)
        name = lambda: chance.choice(SYLLABLES) + chance.choice(SYLLABLES)
        text = "".join(f"{name()}_{chance.randrange(900)} = {name()}({chance.randrange(10_000)})  # {name()} {name()}\n" for _ in range(lines))
        call = {"name": "read_file", "arguments": json.dumps({"path": f"src/part_{number}.py"})}
        messages += [{"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{number}", "type": "function", "function": call}]},
                     {"role": "tool", "tool_call_id": f"call_{number}", "content": text}]
    return messages


async def added(service, proxy, bodies):
    """Medians in ms of what bodies take directly and through the proxy, and the processor times of the proxy for them."""
    direct, through = Client(service.port), Client(proxy.port)
    times, processor = ([], []), []
    for body in bodies:
        times[0].append(await timed(direct, body))
        before = proxy.processor_ms()
        times[1].append(await timed(through, body))
        await asyncio.sleep(0.005)  # Until the receipt is kept.
        processor.append(proxy.processor_ms() - before)
    return [statistics.median(kept) for kept in times], processor


def many_tools():
    """30 definitions of 3.5 KB."""
    def definition(number):
        chance = random.Random(number)
        words = lambda count: " ".join(chance.choice(SYLLABLES) + chance.choice(SYLLABLES) for _ in range(count))
        fields = {f"{words(1)}_{i}": {"type": "string", "description": words(12)} for i in range(10)}
        return {"type": "function", "function": {"name": f"tool_{number}", "description": words(190),
                                                 "parameters": {"type": "object", "properties": fields}}}
    return TOOLS + [definition(number) for number in range(30)]


async def latency(ctxpack):
    service = Service()
    await service.start()
    task = lambda number: [{"role": "user", "content": f"Find what sets the fee of berth {number}."}]
    kinds = {"grows within the budget": (9_000, [task(n) + read_files(0, step, 9) for n in range(6) for step in range(15, 40)]),
             "is compacted": (8_000, [task(n) + read_files(0, step, 36) for n in range(4) for step in range(15, 55)]),
             "has 100 KB of tools": (32_000, [task(n) + read_files(0, step, 18) for n in range(2) for step in range(5, 35)]),
             "was never seen": (9_000, [task(n) + read_files(n * 50, n * 50 + 38, 9) for n in range(100)])}
    for kind, (budget, threads) in kinds.items():
        tools = many_tools() if "tools" in kind else TOOLS
        with Proxy(ctxpack, service, budget) as proxy:
            (before, after), processor = await added(service, proxy, [body_of(messages, tools=tools) for messages in threads])
            print(f"a thread that {kind}, the last of {len(body_of(threads[-1], tools=tools)) / 1e3:.0f} KB: {before:.2f} ms directly, {after:.2f} ms "
                  f"through the proxy: {after - before:.2f} ms more at the median; processor time {statistics.median(processor):.2f} ms at the "
                  f"median, {statistics.quantiles(processor, n=20)[-1]:.2f} at the 95th percentile")


async def long(ctxpack):
    service = Service()
    await service.start()
    took = {}
    for count in (1_000, 10_000):
        with Proxy(ctxpack, service) as proxy:
            client, messages, times = Client(proxy.port), conversation(count // 2)[:count], []
            for _ in range(12):
                messages += [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "And then?"}]
                body, before = body_of(messages), proxy.processor_ms()
                status, answer = await client.ask(body)
                assert status == 200, answer
                times.append(proxy.processor_ms() - before)
            took[count] = statistics.median(times[2:])
            print(f"{count} messages, {len(body) / 1e6:.2f} MB: {took[count]:.1f} ms of processor time at the median, {times[0]:.0f} and "
                  f"{times[1]:.0f} ms for the first two, {proxy.resident_mb():.0f} MB resident")
    print(f"10 000 messages take {took[10_000] / took[1_000]:.1f} times as much as 1 000")


async def memory(ctxpack, count=30):
    service = Service()
    await service.start()
    with Proxy(ctxpack, service) as proxy:
        before, peak, client = proxy.resident_mb(), 0, Client(proxy.port)
        for number in range(count):
            messages = [{"role": "user", "content": f"Keep the books of {number}."}]
            for i in range(13):
                messages += [{"role": "assistant", "content": "Noted."}, {"role": "user", "content": f"{i} entries. " * 90_000}]
            messages.append({"role": "user", "content": "And now?"})
            body = body_of(messages)
            asked = asyncio.create_task(client.ask(body))
            while not asked.done():
                peak = max(peak, proxy.resident_mb())
                await asyncio.sleep(0.02)
            status, answer = asked.result()
            assert status == 200, (status, answer)
        print(f"{count} requests of {len(body) / 1e6:.1f} MB: {proxy.resident_mb():.0f} MB resident after them, {peak:.0f} MB at most "
              f"during one ({before:.0f} MB before)")


async def growth(ctxpack, conversations=3_000, steps=20):
    service = Service()
    await service.start()
    with Proxy(ctxpack, service, 4_000) as proxy:
        before = proxy.resident_mb()
        added, errors, resident = await drive(service, [proxy], conversations, steps, 50, 600)
        print(f"{(len(added) + len(errors)) // steps} conversations of {steps} steps: {len(errors)} errors, resident at each fifth "
              f"{', '.join(f'{mb:.0f}' for (mb,) in resident)} MB ({before:.0f} MB before)")


async def streams(ctxpack):
    service = Service()
    await service.start()
    with Proxy(ctxpack, service) as proxy:
        before = proxy.resident_mb()
        # From several addresses, of which each may have 64 connections.
        body = body_of(conversation(44), stream=True)
        asked = [asyncio.create_task(StreamClient(proxy.port, i).ask(body)) for i in range(STREAMS)]
        while service.waiting < STREAMS:
            await asyncio.sleep(0.05)
            for task in asked:
                assert not task.done(), task.result()
        held = proxy.resident_mb()
        service.release.set()
        answers = await asyncio.gather(*asked)
        assert all(answer == (200, b"data: 1\n\ndata: 2\n\n") for answer in answers)
        print(f"{STREAMS} streams: {held:.0f} MB resident ({before:.0f} MB before)")


class LongAnswers(Service):
    """Answers with as many bytes as are asked for, as long as somebody takes them."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.sent = 0

    async def stream(self, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % self.size)
        for _ in range(self.size // 65_536):
            writer.write(b"data: " + b"x" * (65_536 - 8) + b"\n\n")
            await writer.drain()
            self.sent += 65_536
        writer.write(b" " * (self.size % 65_536))


async def unread(ctxpack, clients=12, megabytes=60):
    service = LongAnswers(megabytes * 1_000_000)
    await service.start()
    with Proxy(ctxpack, service) as proxy:
        before, held = proxy.resident_mb(), []
        body = body_of(conversation(44), stream=True)
        for _ in range(clients):
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port, limit=4_096)
            writer.write(f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                         f"content-length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
            held.append((reader, writer))  # Nobody reads: the buffers of both systems fill, then the proxy's, then the service waits.
        peak, sent = 0, -1
        while sent != service.sent:  # Until nothing moves for a second.
            sent = service.sent
            for _ in range(20):
                peak = max(peak, proxy.resident_mb())
                await asyncio.sleep(0.05)
        print(f"{clients} clients that do not read {megabytes} MB: {peak:.0f} MB resident at most ({before:.0f} MB before), {sent / 1e6:.0f} of "
              f"{clients * megabytes} MB left the service")
        for _, writer in held:
            writer.close()


class StreamClient(Client):
    def __init__(self, port, number):
        super().__init__(port)
        self.address = f"127.0.0.{2 + number % 8}"

    async def ask(self, body, headers=""):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0))
        return await super().ask(body, headers)


async def drive(service, proxies, conversations, steps, at_once, most_seconds=300):
    """The times added, in ms, the answers that were errors, and the proxies' memory at each fifth of the way."""
    added, errors, numbers, resident = [], [], iter(range(conversations)), []
    until = time.perf_counter() + most_seconds

    async def work():
        clients = [Client(proxy.port) for proxy in proxies]
        for number in numbers:
            if time.perf_counter() > until:
                break
            if number % max(1, conversations // 5) == 0:
                resident.append([proxy.resident_mb() for proxy in proxies])
            messages = conversation(8, f" Conversation {number}.")
            for step in range(steps):
                messages += [{"role": "assistant", "content": f"Step {step}."},
                             {"role": "user", "content": " ".join(f"entry {step * 57 + i} of ledger {number}" for i in range(120))}]
                name = f"{number}.{step}"
                body, began = body_of(messages), time.perf_counter()
                status, answer = await clients[step % len(clients)].ask(body, f"x-number: {name}\r\n")
                ended = time.perf_counter()
                if status != 200:
                    errors.append(answer)
                    continue
                inside = service.answered.pop(name.encode()) - service.arrived.pop(name.encode())
                added.append((ended - began - inside) * 1000)
        for client in clients:
            client.close()

    await asyncio.gather(*(work() for _ in range(at_once)))
    return added, errors, [*resident, [proxy.resident_mb() for proxy in proxies]]


class Redis:
    """One of its own, on a free port."""

    async def __aenter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.port = 7300 + time.time_ns() % 1000
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--save", "", "--dir", self.folder.name],
                                        stdout=subprocess.DEVNULL)
        await asyncio.sleep(0.5)
        return self

    async def __aexit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


async def instances(ctxpack, conversations=1_000, steps=20):
    if not shutil.which("redis-server"):
        print("instances: skipped: no redis-server")
        return
    async with Redis() as redis:
        for count in (1, 2):
            service = Service()
            await service.start()
            proxies = [Proxy(ctxpack, service, 4_000, f"redis://127.0.0.1:{redis.port}/{count}") for _ in range(count)]
            await drive(service, proxies, 50, steps, 50)  # Buffers and caches have their size.
            began = time.perf_counter()
            added, errors, resident = await drive(service, proxies, conversations, steps, 50)
            took = time.perf_counter() - began
            cuts = statistics.quantiles(added, n=100)
            print(f"{count} {'instance' if count == 1 else 'instances'}, {(len(added) + len(errors)) // steps} conversations of {steps} "
                  f"steps, 50 at once: "
                  f"{len(errors)} errors, {len(added) / took:.0f} requests/s, {cuts[49]:.1f} ms added at the median, {cuts[98]:.1f} ms at "
                  f"the 99th percentile, resident at each fifth {', '.join('+'.join(f'{mb:.0f}' for mb in at) for at in resident)} MB")
            for proxy in proxies:
                proxy.__exit__()


class SlowStreams(Service):
    """Five pieces, one every 20 ms."""

    async def stream(self, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for number in range(5):
            writer.write(b"9\r\ndata: %d\n\n\r\n" % number)
            await writer.drain()
            await asyncio.sleep(0.02)
        writer.write(b"0\r\n\r\n")


class Fleet:
    """Proxies of which each may be stopped and started while clients ask. A client whose answer breaks, or is refused, asks another."""

    def __init__(self, start, count):
        self.start = start
        self.proxies = [start() for _ in range(count)]
        self.answered = self.broken = self.refused = self.failed = 0
        self.torn_while_stopping = 0
        self.stopping = None

    async def ask(self, first, body):
        for attempt in range(6):
            proxy = self.proxies[(first + attempt) % len(self.proxies)]
            client = Client(proxy.port)
            try:
                status, answer = await client.ask(body)
            except (OSError, EOFError, ValueError):  # A stream that ends before its last piece has a size of no digits.
                self.broken += 1
                self.torn_while_stopping += proxy is self.stopping and client.has_head
                await asyncio.sleep(0.1)
                continue
            finally:
                client.close()
            if status == 200 and answer.endswith(b"data: 4\n\n"):
                self.answered += 1
                return
            self.refused += 1
            await asyncio.sleep(0.1)
        self.failed += 1

    def replace(self, place):
        self.proxies[place].__exit__()
        self.proxies[place] = self.start()

    async def stop(self, place):
        """The seconds from the signal to the end, and the exit code."""
        self.stopping = self.proxies[place]
        began = time.perf_counter()
        self.stopping.process.send_signal(signal.SIGTERM)
        while self.stopping.process.poll() is None:
            await asyncio.sleep(0.02)
        took, code = time.perf_counter() - began, self.stopping.process.returncode
        self.replace(place)
        self.stopping = None
        return took, code


async def stops(ctxpack, conversations=100, steps=20):
    if not shutil.which("redis-server"):
        print("stops: skipped: no redis-server")
        return
    async with Redis() as redis:
        service = SlowStreams()
        await service.start()
        fleet = Fleet(lambda: Proxy(ctxpack, service, 4_000, f"redis://127.0.0.1:{redis.port}/3"), 2)
        numbers = iter(range(conversations))

        async def work():
            for number in numbers:
                messages = conversation(8, f" Conversation {number}.")
                for step in range(steps):
                    messages += [{"role": "assistant", "content": f"Step {step}."},
                                 {"role": "user", "content": " ".join(f"entry {step * 57 + i} of ledger {number}" for i in range(60))}]
                    await fleet.ask(number + step, body_of(messages, stream=True))

        async def disturb():
            while fleet.answered < conversations * steps // 3:
                await asyncio.sleep(0.02)
            fleet.replace(0)
            while fleet.answered < conversations * steps * 2 // 3:
                await asyncio.sleep(0.02)
            return await fleet.stop(1)

        try:
            *_, (took, code) = await asyncio.gather(*(work() for _ in range(50)), disturb())
        finally:
            resident = [proxy.resident_mb() for proxy in fleet.proxies]
            for proxy in fleet.proxies:
                proxy.__exit__()
        print(f"{conversations} conversations of {steps} streamed steps, 50 at once, two instances, one killed, one told to stop: "
              f"{fleet.answered} answers, {fleet.failed} failed everywhere; {fleet.broken} broke and {fleet.refused} were refused, and came "
              f"from the other; {fleet.torn_while_stopping} answers under way broke while one stopped, which took {took:.1f} s and ended with {code}; "
              f"{' + '.join(f'{mb:.0f}' for mb in resident)} MB resident")


async def limits(ctxpack, conversations=200, steps=5):
    def full_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (128 << 10, 128 << 10))

    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    for name, before in (("a store that can write no more", full_disk), ("40 open files", few_files)):
        with tempfile.TemporaryDirectory() as folder:
            service = Service()
            await service.start()
            store = f"{folder}/threads.db"
            with Proxy(ctxpack, service, 4_000, f"sqlite:{store}", before) as proxy:
                statuses, numbers = {}, iter(range(conversations))

                async def work():
                    client = Client(proxy.port)
                    for number in numbers:
                        messages = conversation(8, f" Conversation {number}.")
                        for step in range(steps):
                            messages += [{"role": "assistant", "content": f"Step {step}."}, {"role": "user", "content": "And then? " * 60}]
                            try:
                                status, _ = await client.ask(body_of(messages))
                            except (OSError, EOFError):
                                status = "broken"
                            if status != 200:  # The connection may be closed.
                                client.close()
                                client = Client(proxy.port)
                            statuses[status] = statuses.get(status, 0) + 1
                    client.close()

                await asyncio.gather(*(work() for _ in range(50)))
                client = Client(proxy.port)
                status, _ = await client.ask(body_of(conversation(8)))
                client.close()
                kept = sqlite3.connect(store).execute("pragma page_count").fetchone()[0]
                print(f"{name}: {', '.join(f'{count} answers {status}' for status, count in statuses.items())}; {status} afterwards; "
                      f"{kept} pages kept, {proxy.resident_mb():.0f} MB resident")


PARTS = {"latency": latency, "long": long, "memory": memory, "growth": growth, "streams": streams, "unread": unread, "instances": instances,
         "stops": stops, "limits": limits}


async def main():
    for name in sys.argv[2:] or PARTS:
        await PARTS[name.split("=")[0]](sys.argv[1], *map(int, name.split("=")[1:]))


if __name__ == "__main__":
    asyncio.run(main())
