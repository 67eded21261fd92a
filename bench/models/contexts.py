"""Cases of DATA_DIR whose answer stands in their evidence, and the contexts that a model gets for them."""
import collections
import json
import math
import re
import zlib

SOURCES = ("hotpot", "tatqa", "bfcl_memory")
CHARACTERS_PER_TOKEN = 4  # As in the scores of DATA_DIR.
CHUNK_TOKENS = 200


def tokens(text):
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def words(text):
    return re.sub(r"\W+", " ", str(text).lower()).strip()


def holds(text, answers):
    """Whether one of the answers stands in the text, as whole words."""
    return any(f" {words(answer)} " in f" {words(text)} " for answer in answers)


def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")] if path.exists() else []


def pool(items, evidence, most):
    """Of (id, text) the evidence and others by chance, always the same, up to so many tokens; in their order."""
    kept = {key for key, _ in items if key in evidence}
    left = most - sum(tokens(text) for key, text in items if key in kept)
    for key, text in sorted(items, key=lambda item: zlib.crc32(item[0].encode())):
        if key not in kept and tokens(text) <= left:
            kept.add(key)
            left -= tokens(text)
    return [(key, text) for key, text in items if key in kept]


def questions(folder, count, most):
    """Of each source a third, with all their text and with a pool of it: cases whose short answer stands word for word in the evidence, and not
    in the question."""
    found = []
    for source in SOURCES:
        texts = {a["artifact_id"]: "\n".join(filter(None, (a.get("title", ""), a["content"]))) for a in rows(folder / f"{source}.artifacts.jsonl")}
        histories = {h["history_id"]: h["messages"] for h in rows(folder / f"{source}.histories.jsonl")}
        good = []
        for case in rows(folder / f"{source}.cases.jsonl"):
            items = [(i, texts[i]) for i in case["artifact_ids"]]
            items += [(m["id"], m["content"]) for m in histories.get(case["history_id"], ()) if m["seq"] < case["cutoff_seq"]]
            evidence = {*case["gold"]["artifact_ids"], *case["gold"]["message_ids"]}
            proof = "\n".join([span["text"] for span in case["gold"].get("spans") or []] or [text for key, text in items if key in evidence])
            answers = [a for a in case["answer"] if 1 <= len(str(a).split()) <= 5 and words(a) not in ("", "yes", "no")]
            if not answers or len(answers) != len(case["answer"]) or source == "tatqa" and len(answers) > 1 or max(len(words(a)) for a in answers) < 2:
                continue  # All of them would be needed; or a digit, which is right by chance.
            if holds(proof, answers) and not holds(case["query"], answers):
                good.append({**case, "items": items, "pool": pool(items, evidence, most), "proof": proof})
        found.append(good[::max(1, len(good) // math.ceil(count / len(SOURCES)))])
    mixed = [case for of_each in zip(*found) for case in of_each]  # So that a run that is stopped has some of each.
    return mixed[:count]


def bm25(items, query, room):
    """Chunks of so many tokens with the best BM25, in document order."""
    chunks = []
    for _, text in items:
        size = CHUNK_TOKENS * CHARACTERS_PER_TOKEN
        chunks += [text[at:at + size] for at in range(0, len(text), size)]
    counts = [collections.Counter(words(chunk).split()) for chunk in chunks]
    mean = sum(sum(count.values()) for count in counts) / len(counts)
    in_chunks = collections.Counter(word for count in counts for word in count)

    def score(count):
        length = 0.25 + 0.75 * sum(count.values()) / mean
        return sum(math.log(1 + (len(chunks) - in_chunks[w] + 0.5) / (in_chunks[w] + 0.5)) * 2.2 * count[w] / (count[w] + 1.2 * length)
                   for w in set(words(query).split()) if count[w])
    chosen, left = [], room
    for i in sorted(range(len(chunks)), key=lambda i: -score(counts[i])):
        if tokens(chunks[i]) <= left:
            chosen.append(i)
            left -= tokens(chunks[i])
    return "\n".join(chunks[i] for i in sorted(chosen))


def newest(items, room):
    return "\n".join(text for _, text in items)[-room * CHARACTERS_PER_TOKEN:]
