#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>

/// An agent of 60 steps that keeps a list of what is to be done, in OpenAI's form.
namespace ctxmgr::testing {

inline constexpr int agent_steps = 60;
inline constexpr int agent_budget = 8'000;

/// Three kinds of rules; the list is known by the name of its tool.
inline constexpr const char* agent_rules =
    R"([{"tool":"get_policy","retention":"never_cut"},{"tool":"ls","retention":"cut_first"},)"
    R"({"tool":"bash","max_result_tokens":150}])";
inline constexpr const char* no_rules = R"([{"tool":"*","retention":"normal"}])";

class SteeredAgent {
 public:
  /// The messages that a step adds.
  nlohmann::json act(int step) {
    const auto number = std::to_string(step);
    if (step == 0)
      return joined({{{"role", "system"}, {"content", "You are an agent."}},
                     {{"role", "user"}, {"content", "Mend the fees, one module after the other."}}},
                    work("bash", {}, "ran_0 " + filler(300)));
    if (step == 3) return work("get_policy", {}, "POLICY: amounts are rounded down. " + filler(60));
    if (step % 10 == 1) {
      list = "number " + number + " of the list is next";  // No name, and no word of the task.
      // A line of what was done shows the first words of a call.
      const nlohmann::json done = {{"content", filler(40)}, {"status", "completed"}};
      return work("TodoWrite", {{"todos", {done, {{"content", list}, {"status", "in_progress"}}}}}, "ok");
    }
    if (step % 3 == 0) return work("ls", {}, "LISTING_" + number + " " + filler(120));
    if (step % 3 == 1) return work("bash", {}, "ran_" + number + " " + filler(300));
    return work("read", {{"path", "src/module_" + number + ".cpp"}}, "module_" + number + " " + filler(200));
  }

  /// What a model says that is asked for a summary of a part of it.
  static std::string summary_of(const std::string& text) {
    const auto at = text.find("ran_");
    const auto end = at == std::string::npos ? at : text.find_first_not_of("0123456789", at + 4);
    return "They saw " + (at == std::string::npos ? "nothing" : text.substr(at, end - at)) + " and went on.";
  }
  /// The same as a chat completion.
  static std::string completion_of(const std::string& request) {
    const nlohmann::json message = {{"role", "assistant"}, {"content", summary_of(request)}};
    return nlohmann::json{{"choices", {{{"message", message}, {"finish_reason", "stop"}}}},
                          {"usage", {{"prompt_tokens", 900}, {"completion_tokens", 9}}}}
        .dump();
  }

  std::string list = "Mend";

  /// Whether a result has no call before it, or a call no result behind it.
  static bool is_torn(const nlohmann::json& messages) {
    std::set<std::string> open;
    for (const auto& message : messages) {
      if (message["role"] == "tool") {
        if (open.erase(message["tool_call_id"].get<std::string>()) == 0) return true;
        continue;
      }
      if (!open.empty()) return true;
      for (const auto& call : message.value("tool_calls", nlohmann::json::array()))
        open.insert(call["id"].get<std::string>());
    }
    return !open.empty();
  }

 private:
  static std::string filler(int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += "filler" + std::to_string(i % 7) + (i % 12 == 11 ? ".\n" : " ");
    return text;
  }

  static nlohmann::json joined(nlohmann::json first, const nlohmann::json& rest) {
    for (const auto& message : rest) first.push_back(message);
    return first;
  }

  nlohmann::json work(const std::string& tool, const nlohmann::json& arguments, const std::string& result) {
    const auto id = "call_" + std::to_string(calls_++);
    const auto text = arguments.is_null() ? "{}" : arguments.dump();
    return {{{"role", "assistant"},
             {"content", nullptr},
             {"tool_calls", {{{"id", id}, {"type", "function"}, {"function", {{"name", tool}, {"arguments", text}}}}}}},
            {{"role", "tool"}, {"tool_call_id", id}, {"content", result}}};
  }

  int calls_ = 0;
};

}  // namespace ctxmgr::testing
