#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ctxmgr/ports/conversation_store.hpp"

namespace ctxmgr::testing {

/// The statements in the blocks of SQL of a page, without their comments.
inline std::vector<std::string> queries_of_page(const std::string& path) {
  std::ifstream page(path);
  std::vector<std::string> queries;
  std::string line;
  std::string query;
  bool is_sql = false;
  while (std::getline(page, line)) {
    if (line.rfind("```", 0) == 0) {
      is_sql = line == "```sql";
      continue;
    }
    if (!is_sql || line.rfind("--", 0) == 0) continue;
    query += line + "\n";
    if (line.back() != ';') continue;
    queries.push_back(query.substr(0, query.rfind(';')));
    query.clear();
  }
  return queries;
}

/// A thread of two agents, for the queries to find.
inline bool append_report_thread(ConversationStore& store) {
  ConversationMessage reply{Role::assistant, "Three stakeholders: the board, the city, the press."};
  reply.agent = "orchestrator";
  ConversationMessage email{Role::assistant, "Dear members of the board,"};
  email.agent = "email_writer";
  return store.append("report-7", {{Role::user, "Who is a stakeholder of this report?"}, reply, email}, {}, {})
      .has_value();
}

}  // namespace ctxmgr::testing
