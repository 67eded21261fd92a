#!/usr/bin/env python3
"""What a real, small model does with our prompts. Each case is a line of OUT, so that a second run goes on where the first one ended.

  run.py plans|summaries|answers DATA_DIR URL OUT [--cases 20] [--minutes 55] [--no-schema] [--source hotpot] [--documents 25]

DATA_DIR as for selection_eval.sh; URL of a chat service (serve.py starts one). Needs the package ctxmgr, or CTXMGR_LIBRARY and
PYTHONPATH=bindings/python. plans: the planner is asked whatever it costs; is its reply valid? summaries: of stories, pages of annual reports
and tool results of DATA_DIR/runs, by a plan that is ours; are they accepted, and how long are they? answers: share of 1 000 tokens of context, chosen in three ways, from which the model gives the gold answer.
"""
import argparse
import json
import pathlib
import re
import time
import urllib.error
import urllib.request

from ctxmgr import ContextError, Manager

ROOM, MOST_REPLY_TOKENS = 1000, 400
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
                           "seconds": round(time.monotonic() - began, 1), "reply": choice["message"]["content"]})
        return answer

    def take(self):
        calls, self.calls = self.calls, []
        return calls


def built(model, question, documents, room=ROOM + 200, **options):
    attachments = [{"id": d["artifact_id"], "title": d.get("title", ""), "content": d["content"]} for d in documents]
    body = {"model": "small", "messages": [{"role": "user", "content": question}], "attachments": attachments}
    with Manager(complete=model) as manager:
        return manager.build(body, context_window_tokens=8192, max_input_tokens=room, **options)


def plan(model, case, documents):
    metadata = built(model, case["query"], documents, planner="llm", context_planner="small", summarizer="small", deadline_ms=1_800_000)["metadata"]
    return {"source": metadata["plan_source"], "reason": metadata["plan_reason"], "repairs": metadata["plan_repairs"]}


def summary(model, case, documents):
    metadata = built(model, "Summarise it.", documents, SUMMARY_TOKENS + 100, planner="llm", context_planner="small",
                     summarizer="small", deadline_ms=1_800_000)["metadata"]
    return {"source": metadata["plan_source"], "artifacts": metadata["artifacts_processed"]}


def answer(model, case, documents):
    texts = {"first": "\n".join(d["content"] for d in documents)[:4 * ROOM], "none": ""}
    chosen = built(None, case["query"], documents, planner="none")["body"]["messages"]
    texts["ctxmgr"] = "\n".join(m["content"] for m in chosen[:-1])
    golds, right = case["answer"] if isinstance(case["answer"], list) else [case["answer"]], {}
    for name, text in texts.items():
        reply = model({"messages": [{"role": "user", "content": f"{text}\n\nQuestion: {case['query']}\nAnswer in a few words:"}], "max_tokens": 40}, 0)
        said = re.sub(r"\W+", " ", reply["choices"][0]["message"]["content"].lower())
        right[name] = any(re.sub(r"\W+", " ", str(gold).lower()).strip() in said for gold in golds)
    return {"right": right}


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
    parser.add_argument("what", choices=("plans", "summaries", "answers"))
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("url")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=55)
    parser.add_argument("--no-schema", action="store_true")
    parser.add_argument("--source", default="hotpot")
    parser.add_argument("--documents", type=int, default=25, help="of a case; more make prompts of over 4 000 tokens")
    o = parser.parse_args()
    end = time.monotonic() + 60 * o.minutes
    if o.what == "summaries":
        cases, documents = texts(o.data, o.cases)
    else:
        folder = o.data / "data"
        documents = {row["artifact_id"]: row for row in map(json.loads, open(folder / f"{o.source}.artifacts.jsonl", encoding="utf-8"))}
        cases = [json.loads(line) for line in open(folder / f"{o.source}.cases.jsonl", encoding="utf-8")]
        cases = cases[::max(1, len(cases) // o.cases)][:o.cases]
    done = {json.loads(line)["case"] for line in o.out.read_text().splitlines()} if o.out.exists() else set()
    model = Model(o.url, not o.no_schema, PLAN if o.what == "summaries" else None)
    work = {"plans": plan, "summaries": summary, "answers": answer}[o.what]
    for case in cases:
        if case["case_id"] in done:
            continue
        if time.monotonic() > end:
            print(f"skipped: {case['case_id']} and what follows, the time is over")
            break
        try:
            row = work(model, case, [documents[i] for i in case["artifact_ids"][:o.documents]])
        except ContextError as error:
            row = {"error": str(error)}
        row = {"case": case["case_id"], **row, "calls": model.take()}
        with open(o.out, "a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(json.dumps({k: v for k, v in row.items() if k != "calls"}, ensure_ascii=False)[:300], flush=True)


if __name__ == "__main__":
    main()
