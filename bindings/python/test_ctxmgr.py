"""Run with CTXMGR_LIBRARY set, or the library installed: python3 -m unittest discover -s bindings/python"""
import asyncio
import gc
import importlib.util
import pathlib
import sys
import threading
import types
import typing
import unittest
import warnings

import ctxmgr


def chat(turns):
    messages = [{"role": "system", "content": "Be brief."}]
    for i in range(turns):
        messages.append({"role": "user", "content": f"Tell me about topic {i}, please, in some detail."})
        messages.append({"role": "assistant", "content": f"Topic {i} has the code K{i * 7}. Ünïcode 東京."})
    messages.append({"role": "user", "content": "Which code has topic 3?"})
    return {"model": "gpt-4o", "messages": messages}


class ManagerTest(unittest.TestCase):
    def test_a_request_fits_its_budget(self):
        with ctxmgr.Manager() as manager:
            built = manager.build(chat(40), max_input_tokens=400)
            self.assertLessEqual(built["metadata"]["input_tokens_used"], 400)
            self.assertIn("K21", str(built["body"]["messages"]))
            manager.build(chat(41), max_input_tokens=400, thread_state=built["thread_state"])

    def test_a_receipt_is_explained(self):
        with ctxmgr.Manager() as manager:
            built = manager.build(chat(40), max_input_tokens=400)
        self.assertIn("of 400 tokens", ctxmgr.explain(built["metadata"]))
        self.assertRaises(ctxmgr.InvalidArgument, ctxmgr.explain, ["no receipt"])

    def test_errors_have_a_code(self):
        with ctxmgr.Manager() as manager:
            with self.assertRaises(ctxmgr.ContextError) as caught:
                manager.build(chat(1), max_input_tokens=3)
            self.assertEqual(caught.exception.code, "budget_exceeded")
        with self.assertRaises(ctxmgr.ContextError):
            manager.count("closed")
        with self.assertRaises(ctxmgr.ContextError):
            ctxmgr.Manager(store="ftp:x")

    def test_counts_are_exact_or_the_hosts_own(self):
        with ctxmgr.Manager() as manager:
            self.assertEqual(manager.count("hello world", "gpt-4o"), 2)
        with ctxmgr.Manager(count=lambda text: len(text.split())) as manager:
            self.assertEqual(manager.count("one two three four"), 4)

    def test_what_was_left_out_is_read_back(self):
        page = "".join(f"Line {i} of the page says nothing of interest.\n" for i in range(2000))
        body = dict(chat(1), attachments=[{"id": "page", "content": page + "The gate is purple."}])
        with ctxmgr.Manager() as manager:
            built = manager.build(body, max_input_tokens=2000, session="s1")
            text = str(built["body"]["messages"])
            key = text[text.index("artifact:"):][:25]
            self.assertTrue(manager.tools("s1"))
            for tool in ("get_context", "set_context", "search_context"):
                self.assertIn(tool, ctxmgr.tool_instructions())
            self.assertIn("Line 0 of", str(manager.call_tool("s1", "get_context", {"key": key})))
            with self.assertRaises(ctxmgr.ContextError):
                manager.call_tool("s1", "rm", {})

    def test_a_model_plans_and_its_failure_is_survived(self):
        asked = []

        def complete(request, timeout_ms):
            asked.append(request)
            raise RuntimeError("down")

        body = dict(chat(1), attachments=[{"id": str(i), "content": f"Text {i}. " * 900} for i in range(5)])
        with ctxmgr.Manager(complete=complete) as manager:
            built = manager.build(body, max_input_tokens=900, planner="llm")
        self.assertTrue(asked)
        self.assertLessEqual(built["metadata"]["input_tokens_used"], 900)

    def test_threads_share_a_manager(self):
        used = []
        with ctxmgr.Manager() as manager:
            threads = [threading.Thread(target=lambda: used.append(
                manager.build(chat(20), max_input_tokens=400)["metadata"]["input_tokens_used"])) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(used), 8)
        self.assertEqual(len(set(used)), 1)

    def test_a_hosts_count_goes_before_a_built_in_vocabulary(self):
        with ctxmgr.Manager(count=len, count_is_exact=True) as manager:
            built = manager.build(chat(40), max_input_tokens=1000)
        self.assertLessEqual(sum(len(m["content"]) for m in built["body"]["messages"]), 1000)

    def test_errors_are_pythons_too(self):
        with ctxmgr.Manager() as manager:
            with self.assertRaises(ctxmgr.BudgetExceeded):
                manager.build(chat(1), max_input_tokens=3)
            with self.assertRaises(ValueError):
                manager.build(chat(1), max_tokens=3)
            with self.assertRaises(LookupError) as caught:
                manager.call_tool("s", "rm", {})
            self.assertTrue(str(caught.exception).startswith("not_found: "))
        for kind in (ctxmgr.DeadlineExceeded, ctxmgr.Denied, ctxmgr.Unavailable):
            self.assertEqual(str(kind("a_code", "why")), "a_code: why")

    def test_an_option_without_json_leaves_no_half_made_manager(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            unraisable = []
            hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
            try:
                with self.assertRaises(ValueError):
                    ctxmgr.Manager(catalog=object())
                with self.assertRaises(ValueError):
                    ctxmgr.Manager(tokenizer="\ud800")
                gc.collect()
            finally:
                sys.unraisablehook = hook
        self.assertEqual((unraisable, seen), ([], []))

    def test_leaving_the_interpreter_in_a_callback_leaves_it(self):
        def leave(*_):
            raise SystemExit(3)

        body = dict(chat(1), attachments=[{"id": str(i), "content": f"Text {i}. " * 900} for i in range(5)])
        with ctxmgr.Manager(complete=leave) as manager:
            with self.assertRaises(SystemExit):
                manager.build(body, max_input_tokens=900, planner="llm")
        with ctxmgr.Manager(count=leave) as manager:
            with self.assertRaises(SystemExit):
                manager.count("a b")

    def test_a_number_is_an_error_or_itself(self):
        with ctxmgr.Manager() as manager:
            for number in (2**63, 2**64 + 5, -2**70, 10**40):
                with self.assertRaises(ctxmgr.ContextError):
                    manager.build(chat(1), max_input_tokens=number)
                try:
                    built = manager.build(dict(chat(1), seed=number))
                except ctxmgr.ContextError:
                    continue
                self.assertEqual(built["body"]["seed"], number)
            for number in (2**53 + 1, 2**63 - 1, -2**63):
                self.assertEqual(manager.build(dict(chat(1), seed=number))["body"]["seed"], number)
            with self.assertRaises(ValueError):
                manager.build(dict(chat(1), temperature=float("nan")))
        with ctxmgr.Manager(count=lambda text: 2**64 + 1) as manager:
            self.assertLess(manager.count("one two three four five six"), 100)
            self.assertGreater(manager.count("one two three four five six"), 1)

    def test_half_a_surrogate_pair_is_an_error(self):
        with ctxmgr.Manager() as manager:
            for call in (lambda: manager.count("a\ud800"), lambda: manager.count("a", "gpt\udfff"),
                         lambda: manager.build(dict(chat(1), user="\ud800"))):
                with self.assertRaises(ValueError):
                    call()


class ThreadTest(unittest.TestCase):
    def test_a_thread_gives_what_the_whole_gives(self):
        with ctxmgr.Manager() as manager, manager.thread("gpt-4o", max_input_tokens=400) as thread:
            state = {}
            for turns in range(1, 40, 3):
                whole = manager.build(chat(turns), max_input_tokens=400, **state)
                built = thread.build(chat(turns)["messages"])
                self.assertEqual(built["body"], whole["body"])
                self.assertEqual(thread.state, whole["thread_state"])
                state = {"thread_state": whole["thread_state"]}

    def test_a_step_hands_over_what_is_new(self):
        with ctxmgr.Manager() as manager, manager.thread("gpt-4o") as thread:
            messages = chat(3)["messages"]
            sizes = []
            call, manager._call = manager._call, lambda function, request, handle=None: (
                sizes.append((request["keep"], len(request["body"]["messages"]))), call(function, request, handle))[1]
            thread.build(messages)
            messages += [{"role": "assistant", "content": "K21."}, {"role": "user", "content": "And topic 2?"}]
            thread.build(messages)
            messages[2]["content"] = "Changed in place."
            self.assertIn("Changed in place.", str(thread.build(messages)["body"]))
            del messages[4:6]
            thread.build(messages)
        self.assertEqual(sizes, [(0, 8), (8, 2), (2, 8), (4, 4)])

    def test_a_build_that_fails_can_be_tried_again(self):
        with ctxmgr.Manager() as manager, manager.thread("gpt-4o") as thread:
            thread.build(chat(1)["messages"])
            with self.assertRaises(ctxmgr.BudgetExceeded):
                thread.build(chat(2)["messages"], max_input_tokens=3)
            self.assertEqual(thread.build(chat(2)["messages"])["body"]["messages"], chat(2)["messages"])

    def test_a_thread_goes_on_elsewhere_by_its_state(self):
        with ctxmgr.Manager() as manager:
            with manager.thread("gpt-4o", max_input_tokens=400) as thread:
                thread.build(chat(30)["messages"])
                with manager.thread("gpt-4o", thread.state, max_input_tokens=400) as other:
                    self.assertEqual(other.build(chat(31)["messages"])["body"], thread.build(chat(31)["messages"])["body"])
            with self.assertRaises(ctxmgr.InvalidArgument):
                thread.build([])

    def test_a_thread_outlives_its_manager_without_harm(self):
        manager = ctxmgr.Manager()
        thread = manager.thread("gpt-4o")
        manager.close()
        with self.assertRaises(ctxmgr.InvalidArgument):
            thread.build(chat(1)["messages"])
        thread.close()


class Agent:
    """Reads one file after the other; `complete` sums up what it is shown."""

    def __init__(self):
        self.messages = [{"role": "system", "content": "You are an agent."},
                         {"role": "user", "content": "Mend the fees, one module after the other."}]
        self.asked = 0

    def act(self, step):
        call = {"id": f"c{step}", "type": "function", "function": {"name": "read", "arguments": f'{{"file":{step}}}'}}
        text = "".join(f"Line {line} of file_{step} says nothing of value.\n" for line in range(20))
        self.messages += [{"role": "assistant", "content": None, "tool_calls": [call]},
                          {"role": "tool", "tool_call_id": f"c{step}", "content": text}]
        return self.messages

    def complete(self, request, timeout_ms):
        self.asked += 1
        return {"choices": [{"message": {"role": "assistant", "content": "They saw a file and went on."}}]}

    def counts(self, built, asked_before):
        text = str(built["body"]["messages"])
        compacted = "compaction" in built["metadata"]
        return compacted, compacted and "summary of [" in text, self.asked - asked_before


class PreparationTest(unittest.TestCase):
    def replay(self, prepares):
        agent, figures = Agent(), []
        with ctxmgr.Manager(complete=agent.complete) as manager:
            with manager.thread("gpt-5.6", max_input_tokens=8000, scope="s", max_llm_calls=0) as thread:
                for step in range(90):
                    asked = agent.asked
                    built = thread.build(agent.act(step))
                    figures.append(agent.counts(built, asked))
                    self.assertLessEqual(built["metadata"]["input_tokens_used"], 8000)
                    if prepares:
                        thread.prepare_compaction()
        return [sum(column) for column in zip(*figures)]

    def test_every_compaction_has_its_summary_and_no_build_asks_a_model(self):
        compactions, with_summary, by_builds = self.replay(prepares=True)
        self.assertGreater(compactions, 1)
        self.assertEqual((with_summary, by_builds), (compactions, 0))

    def test_without_preparing_none_has(self):
        compactions, with_summary, by_builds = self.replay(prepares=False)
        self.assertGreater(compactions, 1)
        self.assertEqual((with_summary, by_builds), (0, 0))

    def test_it_is_awaited_and_says_what_it_took(self):
        async def run():
            agent, calls = Agent(), 0
            async with ctxmgr.AsyncManager(complete=agent.complete) as manager:
                for step in range(30):
                    agent.act(step)
                body, state = {"model": "gpt-5.6", "messages": agent.messages}, ""
                for _ in range(2):
                    options = {"max_input_tokens": 8000, "scope": "s", "thread_state": state}
                    state = (await manager.build(body, **options))["thread_state"]
                    calls += (await manager.prepare_compaction(body, **dict(options, thread_state=state)))["calls"]
                thread = manager.thread("gpt-5.6", max_input_tokens=8000)
                await thread.build(agent.messages)
                without_scope = (await thread.prepare_compaction())["calls"]  # kept in this process
                self.assertGreater(without_scope, 0)
                self.assertEqual((await thread.prepare_compaction())["calls"], 0)  # the summaries are there
                thread.close()
            self.assertEqual(calls + without_scope, agent.asked)
        asyncio.run(run())

    def test_without_a_model_it_is_an_error(self):
        with ctxmgr.Manager() as manager:
            with self.assertRaises(ctxmgr.InvalidArgument):
                manager.prepare_compaction(chat(3), max_input_tokens=400, scope="s")


class AsyncTest(unittest.TestCase):
    def test_calls_are_awaited_side_by_side(self):
        async def run():
            async with ctxmgr.AsyncManager() as manager:
                self.assertEqual(await manager.count("hello world", "gpt-4o"), 2)
                threads = [manager.thread("gpt-4o", max_input_tokens=400) for _ in range(4)]
                built = await asyncio.gather(*(thread.build(chat(20)["messages"]) for thread in threads))
                for thread in threads:
                    thread.close()
                with self.assertRaises(ctxmgr.BudgetExceeded):
                    await manager.build(chat(1), max_input_tokens=3)
                return [b["metadata"]["input_tokens_used"] for b in built]
        used = asyncio.run(run())
        self.assertEqual(len(set(used)), 1)


class ExamplesTest(unittest.TestCase):
    """The examples against a client of the same shape: no service is asked."""

    def setUp(self):
        sys.path.insert(0, str(pathlib.Path(__file__).with_name("examples")))
        self.addCleanup(sys.path.pop, 0)

    def test_the_agent_loop_calls_tools_and_answers(self):
        import agent_loop
        asked = []

        class Part(types.SimpleNamespace):
            def model_dump(self, exclude_none):
                calls = [{"id": c.id, "type": "function", "function": vars(c.function)} for c in self.tool_calls or []]
                return {"role": "assistant", "content": self.content, **({"tool_calls": calls} if calls else {})}

        def create(**body):
            asked.append(body)
            call = types.SimpleNamespace(id="c1", function=types.SimpleNamespace(name="list_folder", arguments='{"path": "."}'))
            first = len(asked) == 1
            message = Part(content=None if first else "Done.", tool_calls=[call] if first else None)
            return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

        client = types.SimpleNamespace(chat=types.SimpleNamespace(completions=types.SimpleNamespace(create=create)))
        self.assertEqual(agent_loop.run(client, "gpt-4o", "How large?"), "Done.")
        self.assertEqual([m["role"] for m in asked[1]["messages"]], ["system", "user", "assistant", "tool"])
        self.assertIn("get_context", str(asked[0]["tools"]))

    def test_the_node_of_a_graph_fits_its_messages(self):
        import message_reducer
        with ctxmgr.Manager() as manager:
            fit = message_reducer.fitting_node(manager, "gpt-4o", 400)
            state = {"messages": message_reducer.add_messages(chat(39)["messages"][:-1], chat(1)["messages"][1:])}
            sent = fit(state)["llm_input_messages"]
            self.assertLess(len(sent), len(state["messages"]))
            del fit

    @unittest.skipUnless(importlib.util.find_spec("langgraph"), "the package langgraph is not there")
    def test_a_graph_of_langgraph_keeps_all_messages_and_sends_those_that_fit(self):
        import message_reducer
        from langgraph.graph import END, START, StateGraph
        sent = []

        def model(state):
            sent.append(state["llm_input_messages"])
            return {"messages": [{"role": "assistant", "content": "K21."}]}

        with ctxmgr.Manager() as manager:
            fields = {"messages": typing.Annotated[list, message_reducer.add_messages], "llm_input_messages": list}
            graph = StateGraph(typing.TypedDict("State", fields))
            graph.add_node("fit", message_reducer.fitting_node(manager, "gpt-4o", 400))
            graph.add_node("model", model)
            for edge in ((START, "fit"), ("fit", "model"), ("model", END)):
                graph.add_edge(*edge)
            given = chat(39)["messages"]
            state = graph.compile().invoke({"messages": given})
            self.assertEqual(len(state["messages"]), len(given) + 1)
            self.assertLess(len(sent[0]), len(given))
            self.assertEqual(sent[0][-1], given[-1])
            del graph


if __name__ == "__main__":
    unittest.main()
