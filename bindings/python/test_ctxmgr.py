"""Run with CTXMGR_LIBRARY set, or the library installed: python3 -m unittest discover -s bindings/python"""
import threading
import unittest

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


if __name__ == "__main__":
    unittest.main()
