#include "engine/index/call_subject.hpp"

#include <algorithm>
#include <string>

#include "core/ascii.hpp"
#include "core/json/json.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_arguments = 4096;  // What is longer writes rather than reads.

// "50", "1,20p", "10:20".
bool is_number(std::string_view word) {
  const auto letters = std::count_if(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '_';
  });
  return ascii::is_digit(word.front()) && letters <= 1;
}

class Subject {
 public:
  explicit Subject(std::string_view tool) { result_.tool = hash_term(tool); }

  void visit(const Json& value) {
    if (value.is_container())
      for (const Json& inner : value) visit(inner);
    else if (value.is_string())
      add_string(value.string());
    else if (value.is_number())
      result_.part += hash_term(dump_json(value));
  }

  [[nodiscard]] CallSubject result() const { return result_; }

 private:
  void add_string(std::string_view text) {
    if (text.find(' ') == std::string_view::npos) return add_word(text);
    bool first = true;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      const std::string_view word = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (word.empty()) continue;
      if (first)
        result_.tool = hash_term(word);
      else
        add_word(word);
      first = false;
    }
  }

  void add_word(std::string_view word) {
    if (word.substr(0, 2) == "./") word.remove_prefix(2);
    if (word.empty()) return;
    if (word.front() == '-') {
      if (std::any_of(word.begin(), word.end(), ascii::is_digit)) result_.part += hash_term(word);
      return;
    }
    (is_number(word) ? result_.part : result_.subject) += hash_term(word);
  }

  CallSubject result_;
};

}  // namespace

CallSubject subject_of(std::string_view call) {
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos || call.back() != ')' || call.size() > longest_arguments) return {};
  Subject subject(call.substr(0, open));
  const std::string_view arguments = call.substr(open + 1, call.size() - open - 2);
  const auto parsed = parse_json(arguments);
  if (!parsed || !parsed->is_container()) return {};
  subject.visit(*parsed);
  return subject.result();
}

}  // namespace ctxmgr::engine
