#include "ctxmgr/wire.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ctxmgr/anthropic.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ctxmgr/openai.hpp"
#include "ctxmgr/responses.hpp"

namespace ctxmgr {
namespace {

using nlohmann::json;

constexpr WireForm all_forms[] = {WireForm::openai, WireForm::anthropic, WireForm::responses};

/// A conversation of that form about a harbour, whose list has that name.
std::string conversation(WireForm form, const std::string& attachment = {}) {
  json list = json::array();
  for (int turn = 0; turn < 60; ++turn) {
    const auto number = std::to_string(turn);
    list.push_back({{"role", "user"}, {"content", "Which ship lies at berth " + number + " tonight, and until when?"}});
    list.push_back({{"role", "assistant"}, {"content", "The barge Heron " + number + " lies there until noon."}});
  }
  list.push_back({{"role", "user"}, {"content", "And who pays the fee of berth 7?"}});
  json body = {{"model", "gpt-4o"}, {form == WireForm::responses ? "input" : "messages", std::move(list)}};
  if (form == WireForm::anthropic) body["max_tokens"] = 100;
  if (!attachment.empty()) body["attachments"] = {{{"attachment_id", attachment}}};
  return body.dump();
}

WireOptions within(std::int64_t tokens) {
  WireOptions options;
  options.request.budget.max_input_tokens = tokens;
  return options;
}

Result<WireBuild> old_door(const ContextManager& manager, WireForm form, const std::string& body,
                           BuildRequest request) {
  switch (form) {
    case WireForm::anthropic: return build_anthropic(manager, body, std::move(request));
    case WireForm::responses: return build_responses(manager, body, std::move(request));
    case WireForm::openai: break;
  }
  return build_openai(manager, body, std::move(request));
}

TEST(WireTest, EveryFormHasItsReceiptAsAValueAndFitsTheBudget) {
  for (const auto form : all_forms) {
    const ContextManager manager;
    const auto body = conversation(form);
    const auto fitted = build_wire(manager, form, body, within(600));
    ASSERT_TRUE(fitted) << to_string(form) << ": " << fitted.error().message;
    EXPECT_LT(fitted->body.size(), body.size());
    EXPECT_GT(fitted->metadata.messages_excluded, 0U);
    EXPECT_LE(fitted->metadata.sent_tokens(), fitted->metadata.budget_tokens);
    EXPECT_LE(fitted->metadata.budget_tokens, 600);
    const auto read = read_wire(form, fitted->body);
    ASSERT_TRUE(read);
    EXPECT_LE(manager.count(read->context.conversation_history, read->request), fitted->metadata.budget_tokens);
  }
}

TEST(WireTest, TheDoorOfOneFormSendsTheSame) {
  for (const auto form : all_forms) {
    const auto body = conversation(form);
    const auto one = build_wire(ContextManager(), form, body, within(600));
    const auto other = old_door(ContextManager(), form, body, within(600).request);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->body, other->body) << to_string(form);
    EXPECT_EQ(one->thread_state.opaque, other->thread_state.opaque);
    const auto receipt = from_json<ContextUtilizationMetadata>(other->metadata);
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->prefix_fingerprint, one->metadata.prefix_fingerprint);
  }
}

TEST(WireTest, WhatIsReadAndPlannedIsWhatIsBuilt) {
  for (const auto form : all_forms) {
    const ContextManager manager;
    const auto body = conversation(form);
    const auto fitted = build_wire(manager, form, body, within(600));
    const auto plan = plan_wire(manager, form, body, within(600));
    const auto asked = read_wire(form, body, within(600));
    ASSERT_TRUE(fitted && plan && asked);
    EXPECT_EQ(plan->metadata.sent_tokens(), fitted->metadata.sent_tokens()) << to_string(form);
    const auto built = manager.build(asked->context, asked->request);
    ASSERT_TRUE(built);
    EXPECT_EQ(built->metadata.prefix_fingerprint, fitted->metadata.prefix_fingerprint);
  }
}

TEST(WireTest, AttachmentsAreFoundInTheSourceOfTheOptions) {
  auto options = within(2'000);
  options.attachments.store = make_memory_key_value_store();
  ASSERT_TRUE(store_attachment(options.attachments, {"fees", "The pilot pays the fee of berth 7.", "fees.txt"}));
  for (const auto form : all_forms) {
    const auto fitted = build_wire(ContextManager(), form, conversation(form, "fees"), options);
    ASSERT_TRUE(fitted) << fitted.error().message;
    EXPECT_NE(fitted->body.find("The pilot pays"), std::string::npos) << to_string(form);
    const auto lost = build_wire(ContextManager(), form, conversation(form, "none"), options);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::not_found);
  }
}

TEST(WireTest, BreakpointsArePlacedWhereTheOptionsAskForThem) {
  auto options = within(600);
  const auto body = conversation(WireForm::anthropic);
  const auto kept = build_wire(ContextManager(), WireForm::anthropic, body, options);
  options.cache_control = CacheControl::place;
  const auto placed = build_wire(ContextManager(), WireForm::anthropic, body, options);
  ASSERT_TRUE(kept && placed);
  EXPECT_EQ(kept->body.find("cache_control"), std::string::npos);
  EXPECT_NE(placed->body.find("cache_control"), std::string::npos);
}

}  // namespace
}  // namespace ctxmgr
