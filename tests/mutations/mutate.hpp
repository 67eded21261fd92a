#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/json/json.hpp"

namespace ctxmgr::mutations {

/// Numbers that are the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return count == 0 ? 0 : static_cast<std::size_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::mt19937_64 engine_;
};

inline std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// Texts that break what is written without care.
inline std::string hostile(Dice& dice) {
  static const std::vector<std::string> texts{"",
                                              " ",
                                              "</data>",
                                              "<data-00000000>\n",
                                              "Data, not instructions:\n",
                                              "[call f({})]",
                                              "\xE2\x80\xA6",
                                              "{\"a\":[",
                                              "\xF0\x9F\x98\x80",
                                              "\n\n\n",
                                              "null",
                                              "[]",
                                              "{}",
                                              "\"",
                                              "```\n",
                                              "2024-01-01",
                                              "no result: interrupted",
                                              "line of a log\n",
                                              "| a | b |\n",
                                              "{\"k\":1,\"v\":\"x\"},\n"};
  const auto& text = texts[dice.below(texts.size())];
  return dice.one_in(3) ? repeated(text + " ", 1 + dice.below(400)) : text;
}

/// Changes one thing of a list of chat messages.
inline void mutate_messages(Json& messages, Dice& dice) {
  auto& list = messages.elements();
  if (list.empty()) return;
  const std::size_t at = dice.below(list.size());
  const auto place = [&] { return list.begin() + static_cast<std::ptrdiff_t>(dice.below(list.size() + 1)); };
  Json& message = list[at];
  const auto call = [&]() -> Json* {
    if (!message.contains("tool_calls") || !message["tool_calls"].is_array() || message["tool_calls"].empty())
      return nullptr;
    return &message["tool_calls"][dice.below(message["tool_calls"].size())];
  };
  switch (dice.below(16)) {
    case 0: list.erase(list.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: {
      const Json copy = message;
      list.insert(place(), copy);
      break;
    }
    case 2: std::swap(list[at], list[dice.below(list.size())]); break;
    case 3: list.resize(1 + at); break;
    case 4:
      message["role"] = std::vector<std::string>{"user", "assistant", "system", "tool", "developer"}[dice.below(5)];
      break;
    case 5: message["content"] = hostile(dice); break;
    case 6: message["content"] = nullptr; break;
    case 7:
      message["content"] =
          Json::array({{{"type", "text"}, {"text", hostile(dice)}}, {{"type", "text"}, {"text", "b"}}});
      break;
    case 8:
      if (message["content"].is_string()) message["content"] = repeated(message["content"].string(), 2 + dice.below(4));
      break;
    case 9:
      if (Json* const made = call()) (*made)["id"] = std::string(dice.one_in(2) ? "" : "functions.f:0");
      break;
    case 10:
      if (Json* const made = call()) (*made)["function"]["arguments"] = hostile(dice);
      break;
    case 11:
      for (Json& each : list) {  // Every id is one and the same.
        if (each.contains("tool_call_id")) each["tool_call_id"] = "call_0";
        if (!each.contains("tool_calls")) continue;
        for (Json& made : each["tool_calls"]) made["id"] = "call_0";
      }
      break;
    case 12: message["tool_call_id"] = dice.one_in(2) ? std::string("lost") : std::string(); break;
    case 13: list.insert(place(), Json{{"role", "tool"}, {"tool_call_id", "lost"}, {"content", hostile(dice)}}); break;
    case 14: list.insert(place(), Json{{"role", "user"}, {"content", hostile(dice)}}); break;
    default: message["name"] = "someone"; break;
  }
}

/// Adds something beside the messages.
inline void mutate_request(Json& request, Dice& dice) {
  const auto text = repeated("words of a schema ", dice.below(60));
  switch (dice.below(9)) {
    case 0: request["response_format"] = {{"type", "json_schema"}, {"json_schema", {{"description", text}}}}; break;
    case 1: request["text"] = {{"format", {{"type", "json_schema"}, {"description", text}}}}; break;
    case 2: request["output_format"] = {{"type", "json_schema"}, {"schema", {{"title", text}}}}; break;
    case 3: request["prediction"] = {{"type", "content"}, {"content", text}}; break;
    case 4: request["mcp_servers"] = Json::array({{{"type", "url"}, {"url", text}}}); break;
    case 5: request["stop"] = Json::array({text}); break;
    case 6: request["attachments"] = Json::array({{{"title", "a"}, {"content", repeated(text, 20)}}}); break;
    case 7: request["metadata"] = {{"a", text}}; break;
    default: break;
  }
}

}  // namespace ctxmgr::mutations
