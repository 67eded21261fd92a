#pragma once
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/session/context_store.hpp"
#include "ctxmgr/session/context_tools.hpp"

namespace ctxmgr::testing {

/// Texts out of the bytes that mean something to some store.
inline rc::Gen<std::string> hostile_text(std::size_t max_size) {
  return rc::gen::map(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab:*?[]{}%_'\"\\/.^-+(\0\n\xff\xc3k", 24))),
      [max_size](std::string text) {
        text.resize(std::min(std::max<std::size_t>(text.size(), 1), max_size), 'a');
        return text;
      });
}

inline ContextStoreOptions session_options(std::shared_ptr<KeyValueStore> store, std::string id) {
  ContextStoreOptions options;
  options.store = std::move(store);
  options.session_id = std::move(id);
  return options;
}

/// Everything that one session can be asked to do, with arguments that mean harm.
inline void do_harm(ContextStore& session, const std::shared_ptr<KeyValueStore>& store, const std::string& text,
                    int what) {
  ToolCall call;
  switch (what % 8) {
    case 0: (void)session.set(text, "overwritten"); return;
    case 1: (void)session.erase(text); return;
    case 2: (void)session.clear(); return;
    case 3: (void)session.destroy(); return;
    case 4:
      (void)session.archive();
      (void)ContextStore::restore(session_options(store, session.session_id()));
      return;
    case 5: (void)session.set(text, std::string(100, 'x'), {Trust::trusted, true, {}, {}}); return;
    case 6: (void)session.keep(make_document(text, text), {}); return;
    default: (void)session.as_agent(text)->set(text, text); return;
  }
}

/// Whether one session, whatever it is asked, leaves another as it was and sees nothing of it.
inline bool sessions_are_isolated(const std::shared_ptr<KeyValueStore>& store) {
  return rc::check("sessions are isolated", [&] {
    const auto victim_id = *hostile_text(128);
    auto attacker_id = *hostile_text(128);
    if (attacker_id == victim_id) attacker_id = victim_id.substr(0, 127) + "z";
    const auto victim = ContextStore::open(session_options(store, victim_id)).value();
    const auto attacker = ContextStore::open(session_options(store, attacker_id)).value();
    RC_ASSERT(victim->destroy().has_value() && attacker->destroy().has_value());
    std::map<std::string, std::string> held;
    for (const auto& key : *rc::gen::container<std::vector<std::string>>(4, hostile_text(512))) {
      held[key] = "the victim's own heliotrope words";
      RC_ASSERT(victim->set(key, held[key]).has_value());
    }
    for (const auto what : *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(0, 8))) {
      do_harm(*attacker, store, *hostile_text(512), what);
      for (const auto& [key, value] : held) {
        const auto stolen = attacker->get(key);
        RC_ASSERT((!stolen || !*stolen || (*stolen)->value.find("heliotrope") == std::string::npos));
      }
      RC_ASSERT(attacker->search("heliotrope words").value().empty());
      ToolCall call{"1", "list_context", R"({"session_id": "victim", "prefix": ""})", {}};
      RC_ASSERT(ContextTools(attacker).run(call).role == Role::tool);
    }
    const auto listed = victim->list({}, {}, 1'000).value();
    RC_ASSERT(listed.size() == held.size());
    for (const auto& info : listed) {
      RC_ASSERT(info.value_bytes == held.at(info.key).size());
      RC_ASSERT(victim->get(info.key).value().value().value == held.at(info.key));
    }
  });
}

}  // namespace ctxmgr::testing
