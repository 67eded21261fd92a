#include "adapters/curl/service_words.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "core/utf8.hpp"

namespace ctxmgr::http {
namespace {

constexpr std::size_t shortest_quote = 12;
constexpr std::size_t longest_sentence = 300;

std::string one_line(std::string_view sentence) {
  std::string line = utf8::repair(sentence.substr(0, std::min(sentence.size(), longest_sentence)));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

/// Which bytes of the sentence belong to something that the messages say.
class Quotes {
 public:
  explicit Quotes(std::string_view sentence) : is_quoted_(sentence.size()) {
    for (std::size_t at = 0; at + shortest_quote <= sentence.size(); ++at)
      places_[sentence.substr(at, shortest_quote)].push_back(at);
  }

  void look_in(std::string_view text) {
    for (std::size_t at = 0; at + shortest_quote <= text.size(); ++at) {
      const auto found = places_.find(text.substr(at, shortest_quote));
      if (found == places_.end()) continue;
      for (const std::size_t place : found->second) {
        for (std::size_t i = 0; i < shortest_quote; ++i) is_quoted_[place + i] = true;
      }
    }
  }

  [[nodiscard]] bool operator[](std::size_t at) const { return is_quoted_[at]; }

 private:
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
  std::vector<bool> is_quoted_;
};

}  // namespace

std::string quotable(std::string_view sentence, const std::vector<ConversationMessage>& messages) {
  const auto line = one_line(sentence);
  Quotes quotes(line);
  for (const auto& message : messages) {
    quotes.look_in(text_of(message));
    quotes.look_in(message.name);
    for (const auto& call : message.tool_calls) quotes.look_in(call.arguments_json);
  }
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!quotes[i]) {
      out += line[i];
    } else if (i == 0 || !quotes[i - 1]) {
      out += "…";
    }
  }
  return utf8::repair(out);
}

}  // namespace ctxmgr::http
