#!/usr/bin/env python3
"""What a real, small model does with our prompts. Each case is a line of OUT, so that a second run goes on where the first one ended.

  run.py plans|summaries|answers|everything|reads DATA_DIR URL OUT [--cases 20] [--minutes 55]
         [--room 1000] [--contexts evidence,ctxmgr,bm25] [--planner qwen:1.5b] [--told] [--no-schema] [--source hotpot] [--documents 25]

DATA_DIR as for selection_eval.sh; URL of a chat service (serve.py starts one). Needs the package ctxmgr, or CTXMGR_LIBRARY and
PYTHONPATH=bindings/python. plans: the planner is asked whatever it costs; is its reply valid? summaries: of stories, pages of annual reports
and tool results of DATA_DIR/runs, by a plan that is ours; are they accepted, and how long are they? answers: from which contexts of so many tokens
does the model give the gold answer, of those that contexts.py finds in three sources? everything: the same from the evidence among other text of
3 800 tokens. reads: where a small context lacks the answer, does the model call the tools that read back what was left out?
"""
import argparse
import functools
import importlib
import json
import pathlib
import sys
import time
import urllib.error
import urllib.request
import zlib

import contexts
from ctxmgr import ContextError, Manager

ROOM, POOL, MOST_REPLY_TOKENS = 1000, 3800, 400
READ_POOL, MOST_ROUNDS = 1500, 4
# The first sentences of ContextTools::instructions(), which a host of the C++ interface may put into the system message.
TOLD = ("Information of this session is kept outside the conversation, under keys. Where the conversation says get_context(\"...\"), call that tool "
        "with that key if you need what was left out. Where a list ends with \"and 12 more\", search_context finds those, too.")
LEAST_TEXT, MOST_TEXT, SUMMARY_TOKENS = 2500, 4500, 150
PLAN = {"reasoning": "", "decisions": [{"artifact": "a1", "strategy": "summarize", "priority": 1, "rationale": "", "query": "",
                                        "focus": "what happened or was found", "target_tokens": SUMMARY_TOKENS}]}


class Model:
    """Passes requests on; keeps what was asked and said."""

    def __init__(self, url, schema, plan=None):
        self.url, self.schema, self.plan, self.calls = url.rstrip("/") + "/chat/completions", schema, plan, []

    def __call__(self, request, timeout_ms):
        if self.plan and "response_format" in request:
            return {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": json.dumps(self.plan)}}]}
        if not self.schema:
            request.pop("response_format", None)
        most = min(MOST_REPLY_TOKENS, request.pop("max_completion_tokens", None) or request.get("max_tokens") or MOST_REPLY_TOKENS)
        body = json.dumps({**request, "max_tokens": most, "temperature": 0}).encode()
        began = time.monotonic()
        try:
            answer = json.load(urllib.request.urlopen(urllib.request.Request(self.url, body, {"Content-Type": "application/json"}), timeout=1800))
        except urllib.error.HTTPError as error:
            self.calls.append({"error": error.read().decode(errors="replace")[:300]})
            raise
        usage, choice = answer.get("usage", {}), answer["choices"][0]
        self.calls.append({"prompt_tokens": usage.get("prompt_tokens"), "reply_tokens": usage.get("completion_tokens"), "end": choice["finish_reason"],
                           "seconds": round(time.monotonic() - began, 1), "reply": choice["message"].get("content")})
        return answer

    def take(self):
        calls, self.calls = self.calls, []
        return calls


def built(model, question, documents, room=ROOM + 200, **options):
    attachments = [{"id": d["artifact_id"], "title": d.get("title", ""), "content": d["content"]} for d in documents]
    body = {"model": "small", "messages": [{"role": "user", "content": question}], "attachments": attachments}
    with Manager(complete=model) as manager:
        return manager.build(body, context_window_tokens=8192, max_input_tokens=room, **options)


def text_of(built):
    return "\n".join(m["content"] for m in built["body"]["messages"][:-1])


def plan(model, case, documents, score, room, name):
    """The evidence that is there by the model's plan, and by the one of the library."""
    plain = built(None, case["query"], documents, room + 200, planner="deterministic")
    planned = built(model, case["query"], documents, room + 200, planner="llm", context_planner=name, summarizer=name, max_llm_calls=1,
                    deadline_ms=1_800_000)
    metadata = planned["metadata"]
    return {"source": metadata["plan_source"], "reason": metadata["plan_reason"], "repairs": metadata["plan_repairs"],
            "kept": score(case, text_of(planned))["ev"], "kept_without": score(case, text_of(plain))["ev"]}


def summary(model, case, documents):
    metadata = built(model, "Summarise it.", documents, SUMMARY_TOKENS + 100, planner="llm", context_planner="small",
                     summarizer="small", deadline_ms=1_800_000)["metadata"]
    return {"source": metadata["plan_source"], "artifacts": metadata["artifacts_processed"]}


def chosen(case, items, room, **options):
    """What the library sends before the question, by default options, within so many tokens; the manager, which keeps the rest."""
    if case["history_id"]:
        messages, documents = [{"role": "user", "content": text} for _, text in items], []
    else:
        messages, documents = [], [dict(zip(("title", "content"), text.split("\n", 1)), id=key) for key, text in items]
    body = {"model": "small", "messages": [*messages, {"role": "user", "content": case["query"]}], "attachments": documents}
    manager = Manager(count=contexts.tokens)
    built = manager.build(body, context_window_tokens=8192, max_input_tokens=room + contexts.tokens(case["query"]), **options)
    return text_of(built), manager


def asked(model, case, text):
    """One answer from this context: is it right, and does the context have it?"""
    content = f"{text}\n\nQuestion: {case['query']}\nAnswer in a few words:"
    said = model({"messages": [{"role": "user", "content": content}], "max_tokens": 40}, 0)["choices"][0]["message"]["content"]
    return {"right": contexts.holds(said, case["answer"]), "there": contexts.holds(text, case["answer"]), "tokens": contexts.tokens(text)}


CONTEXTS = {"none": lambda case, room: "", "evidence": lambda case, room: case["proof"],
            "ctxmgr": lambda case, room: chosen(case, case["items"], room)[0],
            "bm25": lambda case, room: contexts.bm25(case["items"], case["query"], room),
            "newest": lambda case, room: contexts.newest(case["items"], room)}


def answer(model, case, room, names=tuple(CONTEXTS)):
    return {"gold": case["answer"], **{name: asked(model, case, CONTEXTS[name](case, room)) for name in names}}


def everything(model, case, room):
    return {"gold": case["answer"], "everything": asked(model, case, "\n".join(text for _, text in case["pool"]))}


def read(model, case, room, told=False):
    """The context is chosen for another question, so that it mostly lacks the answer."""
    evidence = {*case["gold"]["artifact_ids"], *case["gold"]["message_ids"]}
    text, manager = chosen(case, contexts.pool(case["items"], evidence, READ_POOL), room, session="s", query=case["other"])
    if contexts.holds(text, case["answer"]):
        return {"skipped": "the answer is there"}
    messages = [{"role": "system", "content": TOLD}] if told else []
    messages.append({"role": "user", "content": f"{text}\n\nQuestion: {case['query']}\nAnswer in a few words:"})
    tools = [tool for tool in manager.tools("s") if tool["function"]["name"] in ("get_context", "search_context")]
    used = []
    for _ in range(MOST_ROUNDS):
        message = model({"messages": messages, "tools": tools, "max_tokens": 120}, 0)["choices"][0]["message"]
        if not message.get("tool_calls"):
            break
        messages.append(message)
        for call in message["tool_calls"]:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            result = manager.call_tool("s", name, arguments, id=call["id"])
            used.append({"name": name, "arguments": arguments, "error": result["content"].startswith("error:"),
                         "found": contexts.holds(result["content"], case["answer"])})
            messages.append(result)
    said = message.get("content") or ""
    return {"gold": case["answer"], "handles": text.count("get_context("), "used": used, "right": contexts.holds(said, case["answer"])}


def of_evidence_and_others(case, count):
    """The case with so many documents: those of its evidence, and others by chance, always the same."""
    evidence = set(case["gold"]["artifact_ids"])
    by_chance = sorted(case["artifact_ids"], key=lambda i: (i not in evidence, zlib.crc32(i.encode())))
    return {**case, "artifact_ids": [i for i in case["artifact_ids"] if i in by_chance[:count]]}


def texts(data, most):
    """Of each kind a third, spread evenly: cases of one document each, and the documents."""
    kinds = {name: [(row["artifact_id"], row["content"]) for row in map(json.loads, open(data / "data" / f"{name}.artifacts.jsonl", encoding="utf-8"))]
             for name in ("fairytale", "tatqa")}
    kinds["coding"] = [(f"{run['id']} {i}", message["content"]) for run in map(json.loads, open(data / "runs" / "coding.jsonl", encoding="utf-8"))
                       for i, message in enumerate(run["messages"]) if message["role"] == "tool"]
    documents = {}
    for name, rows in kinds.items():
        rows = [row for row in rows if LEAST_TEXT <= len(row[1]) <= MOST_TEXT]
        kinds[name] = rows[::max(1, len(rows) // (most // 3))][:most // 3]
    for of_each in zip(*kinds.values()):  # So that a run that is stopped has some of each.
        documents.update({key: {"artifact_id": key, "title": name, "content": content} for name, (key, content) in zip(kinds, of_each)})
    return [{"case_id": key, "artifact_ids": [key]} for key in documents], documents


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("plans", "summaries", "answers", "everything", "reads"))
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("url")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=55)
    parser.add_argument("--room", type=int, default=ROOM)
    parser.add_argument("--contexts", type=lambda names: names.split(","), default=list(CONTEXTS), help="answers: which of them, with commas between")
    parser.add_argument("--planner", default="small", help="plans: the model's name, whose size (qwen:1.5b) says what it is asked for")
    parser.add_argument("--told", action="store_true", help="reads: a system message says what the tools are for")
    parser.add_argument("--no-schema", action="store_true")
    parser.add_argument("--source", default="hotpot")
    parser.add_argument("--documents", type=int, default=25, help="of a case; more make prompts of over 4 000 tokens")
    o = parser.parse_args()
    end = time.monotonic() + 60 * o.minutes
    if o.what == "summaries":
        (cases, documents), work = texts(o.data, o.cases), summary
    elif o.what != "plans":
        cases = contexts.questions(o.data / "data", o.cases, POOL)
        for case, other in zip(cases, cases[3:] + cases[:3]):
            case["other"] = other["query"]
        work = {"answers": functools.partial(answer, names=o.contexts), "everything": everything, "reads": functools.partial(read, told=o.told)}[o.what]
    else:
        folder = o.data / "data"
        sys.path.append(str(o.data))
        source = importlib.import_module("score").Source(str(folder), o.source)
        documents, cases = source.artifacts, list(source.cases.values())
        cases = [of_evidence_and_others(case, o.documents) for case in cases[::max(1, len(cases) // o.cases)][:o.cases]]
        work = functools.partial(plan, score=source.score, room=o.room, name=o.planner)
    done = {json.loads(line)["case"] for line in o.out.read_text().splitlines()} if o.out.exists() else set()
    model = Model(o.url, not o.no_schema, PLAN if o.what == "summaries" else None)
    for case in cases:
        if case["case_id"] in done:
            continue
        if time.monotonic() > end:
            print(f"skipped: {case['case_id']} and what follows, the time is over")
            break
        try:
            row = work(model, case, o.room if "pool" in case else [documents[i] for i in case["artifact_ids"]])
        except ContextError as error:
            row = {"error": str(error)}
        row = {"case": case["case_id"], **row, "calls": model.take()}
        with open(o.out, "a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(json.dumps({k: v for k, v in row.items() if k != "calls"}, ensure_ascii=False)[:300], flush=True)


if __name__ == "__main__":
    main()
