#pragma once
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/session/conversation.hpp"
#include "ctxmgr/session/workflow.hpp"
#include "session/thread_view.hpp"
#include "support/appending_processes.hpp"

/// \file
/// A workflow on a durable store: what it sends is the same as on any other store, and is replayed byte for byte.
namespace ctxmgr::testing {

inline Workflow workflow_on(std::shared_ptr<ConversationStore> store) {
  WorkflowOptions options;
  options.workflow_id = "w";
  options.store = std::move(store);
  return *Workflow::open(std::move(options));
}

inline AgentTurn asking(const std::string& question) {
  AgentTurn turn;
  turn.agent = "analyst";
  turn.system_prompt = "You analyse.";
  turn.messages = {{Role::user, question}};
  turn.request.budget.max_input_tokens = 3'000;
  return turn;
}

inline PruneRequest pruning() {
  PruneRequest request;
  request.request.budget.max_input_tokens = 2'000;
  return request;
}

/// Every context of a small workflow with pruning, as it was sent.
inline std::vector<std::string> contexts_sent(const std::shared_ptr<ConversationStore>& store) {
  Workflow workflow = workflow_on(store);
  std::vector<std::string> sent;
  for (int i = 0; i < 4; ++i) {
    ConversationMessage thought{Role::assistant, "thought " + std::to_string(i) + " \xc3\xa4 " + std::string(500, 'x')};
    thought.agent = "analyst";
    thought.retention = Retention::summarizable;
    thought.content = text_of(thought) + std::string(1, '\0') + "\xf0\x9f\x9a\x80";
    EXPECT_TRUE(workflow.append(std::vector<ConversationMessage>(8, thought)));
    const auto context = workflow.context_for(asking("question " + std::to_string(i)));
    EXPECT_TRUE(context) << context.error().message;
    if (context) sent.push_back(to_openai_json(context->context.messages));
    EXPECT_TRUE(workflow.prune(pruning()));
  }
  return sent;
}

inline void expect_same_contexts_and_replays(const OpenStore& open) {
  const auto sent = contexts_sent(std::shared_ptr<ConversationStore>(open()));
  EXPECT_EQ(sent, contexts_sent(std::shared_ptr<ConversationStore>(make_memory_conversation_store())));
  const Workflow again = workflow_on(std::shared_ptr<ConversationStore>(open()));
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const auto replayed = again.replay(static_cast<std::int64_t>(i) + 1);
    ASSERT_TRUE(replayed) << replayed.error().message;
    EXPECT_EQ(to_openai_json(*replayed), sent[i]);
  }
}

/// A process that prunes is killed again and again: all summaries of a prune are there or none, no row is covered twice,
/// and whoever comes next goes on.
inline void expect_killed_prunes_are_all_or_nothing(const OpenStore& open, int kills) {
  for (int kill = 0; kill < kills; ++kill) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = in_process([&] {
      Workflow own = workflow_on(std::shared_ptr<ConversationStore>(open()));
      for (int i = 0;; ++i) {
        ConversationMessage row{Role::assistant, "row " + std::to_string(i) + std::string(400, 'r')};
        row.agent = i % 2 == 0 ? "a" : "b";
        if (!own.append(std::vector<ConversationMessage>(6, row)) || !own.append({{Role::user, "next"}})) return false;
        if (!own.prune(pruning()) || ::write(ends[1], "p", 1) != 1) return false;
      }
    });
    ::close(ends[1]);
    char byte = 0;
    for (int pruned = 0; pruned < 3 + kill % 4; ++pruned) ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
  }
  const auto store = std::shared_ptr<ConversationStore>(open());
  Workflow next = workflow_on(store);
  ASSERT_TRUE(next.append({{Role::user, "the end"}}));
  ASSERT_TRUE(next.prune(pruning()));
  const auto rows = load_all(*store, "w");
  ASSERT_TRUE(rows) << rows.error().message;
  const session::Coverage coverage(*rows);
  for (const auto& a : *rows) {
    for (const auto& b : *rows) {
      if (!a.summary_of || !b.summary_of || a.agent != b.agent || a.sequence_number >= b.sequence_number) continue;
      const bool apart = a.summary_of->last < b.summary_of->first || b.summary_of->last < a.summary_of->first;
      EXPECT_TRUE(apart || !coverage.is_active(a) || !coverage.is_active(b));
    }
  }
}

/// Two processes append, a third prunes and builds contexts, while this one replays.
inline void expect_snapshots_under_concurrency(const OpenStore& open) {
  const auto store = std::shared_ptr<ConversationStore>(open());
  Workflow workflow = workflow_on(store);
  ASSERT_TRUE(workflow.append({{Role::user, "start"}}));
  const auto first = workflow.context_for(asking("first"));
  ASSERT_TRUE(first) << first.error().message;
  const std::string sent = to_openai_json(first->context.messages);
  std::vector<pid_t> children;
  for (const auto* agent : {"a", "b"}) {
    children.push_back(in_process([&] {
      const auto own = open();
      ConversationMessage row{Role::assistant, std::string(300, 'z')};
      row.agent = agent;
      for (int i = 0; i < 20; ++i) {
        if (!own->append("w", {row, row}, {}, {})) return false;
      }
      return true;
    }));
  }
  children.push_back(in_process([&] {
    Workflow own = workflow_on(std::shared_ptr<ConversationStore>(open()));
    for (int i = 0; i < 8; ++i) {
      if (!own.prune(pruning()) || !own.context_for(asking("again"))) return false;
    }
    return true;
  }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(to_openai_json(*workflow.replay(1)), sent);
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(to_openai_json(*workflow.replay(1)), sent);
  const auto rows = load_all(*store, "w");
  ASSERT_TRUE(rows);
  std::size_t raw = 0;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    EXPECT_EQ(rows->at(i).sequence_number, static_cast<std::int64_t>(i) + 1);
    raw += rows->at(i).summary_of ? 0 : 1;
  }
  EXPECT_EQ(raw, 81U);
}

}  // namespace ctxmgr::testing
