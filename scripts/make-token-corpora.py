#!/usr/bin/env python3
"""Makes texts to compare and measure token counters with, from Debian packages and what is installed.

    apt-get download anarchism debian-handbook libreoffice-help-{zh-cn,ja,ko,ru,hi,el}
    for package in *.deb; do dpkg-deb -x "$package" ROOT; done
    make-token-corpora.py ROOT OUTPUT_FOLDER

Deterministic for the same packages: prose, code, json, cjk, multi, base64 and random UTF-8, 63 MB together.
"""
import base64
import glob
import hashlib
import html
import json
import os
import random
import re
import subprocess
import sys

ROOT, OUTPUT = sys.argv[1], sys.argv[2]
HANDBOOK = f"{ROOT}/usr/share/doc/debian-handbook/html"
HELP = f"{ROOT}/usr/share/libreoffice/help"


def files(*patterns):
    found = {f for p in patterns for f in glob.glob(p, recursive=True)}
    return sorted(f for f in found if os.path.isfile(f))


def cut(text, size):
    return text.encode()[:size].decode("utf-8", "ignore")


def write(name, text):
    with open(f"{OUTPUT}/{name}.txt", "wb") as out:
        out.write(text.encode())
    print(name, len(text.encode()))


def plain(path):
    text = open(path, encoding="utf-8", errors="ignore").read()
    text = re.sub(r"(?is)<(script|style|head|nav)\b.*?</\1>", " ", text)
    text = re.sub(r"(?i)<(p|div|li|h\d|br|tr|dt|dd|pre|ul|ol|table)\b[^>]*>", "\n", text)
    text = html.unescape(re.sub(r"<[^>]+>", "", text))
    return re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", text)).strip() + "\n\n"


def paragraphs(paths):
    """The text of HTML files, each long paragraph once."""
    seen, kept = set(), []
    for path in paths:
        for paragraph in plain(path).split("\n\n"):
            if len(paragraph) > 40 and paragraph in seen:
                continue
            seen.add(paragraph)
            kept.append(paragraph)
    return "\n\n".join(kept) + "\n\n"


def code(paths, size):
    texts, total, seen = [], 0, set()
    for path in sorted(paths, key=lambda p: hashlib.md5(p.encode()).digest()):
        data = open(path, "rb").read()
        digest = hashlib.md5(data).digest()
        if len(data) > 300_000 or digest in seen:
            continue
        seen.add(digest)
        try:
            texts.append(data.decode())
        except UnicodeDecodeError:
            continue
        total += len(data)
        if total >= size:
            break
    return cut("".join(texts), size)


def tool_output(commands, size):
    """JSON-RPC results whose strings hold the output of commands."""
    rng, records, total = random.Random(12345), [], 0
    for command in commands:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, errors="replace", check=False)
        lines = done.stdout.splitlines(keepends=True)
        while lines and total < size:
            n = rng.choice([5, 20, 60, 150])
            chunk, lines = "".join(lines[:n]), lines[n:]
            record = {"jsonrpc": "2.0", "id": len(records), "result": {
                "content": [{"type": "text", "text": chunk}], "isError": False, "structuredContent": {
                    "command": command, "duration_ms": rng.randint(1, 90_000), "score": round(rng.random(), 6),
                    "call_id": f"call_{rng.getrandbits(64):016x}", "sha256": f"{rng.getrandbits(256):064x}"}}}
            records.append(json.dumps(record, ensure_ascii=False, indent=2 if len(records) % 4 == 0 else None) + "\n")
            total += len(records[-1])
    return "".join(records)


def dense(text, share):
    """Lines that are not ASCII for at least this share of their bytes."""
    return "".join(
        line for line in text.splitlines(keepends=True)
        if line.strip() and sum(len(c.encode()) for c in line if ord(c) > 127) >= share * len(line.encode()))


def handbook(language):
    return paragraphs(files(f"{HANDBOOK}/{language}/*.html"))


def office(language, size=30_000_000):
    return cut(paragraphs(files(f"{HELP}/{language}/text/**/*.html")), size)


def main():
    os.makedirs(OUTPUT, exist_ok=True)
    write("prose", cut(paragraphs(files(f"{ROOT}/usr/share/doc/anarchism/html/*.html")) + handbook("en-US"), 20_000_000))
    write("code", code(files("/usr/lib/python3/**/*.py", "/usr/lib/python3.*/**/*.py"), 10_000_000)
          + code(files("/usr/include/c++/**/*", "/usr/include/boost/**/*.hpp", "/usr/include/*.h"), 10_000_000))
    searches = [f"grep -rn '{word}' /usr/lib/python3* /usr/include --include=*.py --include=*.h | head -4000"
                for word in ("def ", "return", "error", "static", "import", "class ", "const", "assert", "template")]
    write("json", tool_output(["dpkg -l", "ls -laR /etc /usr/share/doc", "find /usr -printf '%s %m %p\\n' | head -20000",
                               *searches], 11_000_000))
    write("cjk", "".join(cut(dense(handbook(book) + office(help_), 0.4), 5_000_000)
                         for book, help_ in (("zh-CN", "zh-CN"), ("ja-JP", "ja"), ("ko-KR", "ko"))))
    books = ["ru-RU", "ar-MA", "fa-IR", "el-GR", "de-DE", "fr-FR", "es-ES", "pl-PL", "tr-TR", "vi-VN", "cs-CZ"]
    write("multi", dense("".join(cut(handbook(b), 2_300_000) for b in books) + office("ru", 5_000_000)
                         + office("hi", 8_000_000), 0.04))
    rng = random.Random(7)
    write("base64", base64.b64encode(rng.randbytes(750_000)).decode())
    ranges = [(32, 127), (0xA0, 0x800), (0x800, 0xD7FF), (0x1F300, 0x1F700)]
    write("utf8", cut("".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(500_000)), 1_000_000))


main()
