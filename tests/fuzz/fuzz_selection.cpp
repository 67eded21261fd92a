// Texts of any kind: what is chosen of them fits, comes from where it says it comes from, and cuts no character.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"
#include "ctxmgr/engine/retriever.hpp"

namespace {

using namespace ctxmgr;

void demand(bool holds) {
  if (!holds) std::abort();
}

void check_spans(const SelectedText& chosen, const std::string& content) {
  std::size_t end = 0;
  for (const auto& span : chosen.spans) {
    demand(span.offset >= end && span.length <= content.size() && span.offset <= content.size() - span.length);
    end = span.offset + span.length;
    const auto text = std::string_view(content).substr(span.offset, span.length);
    demand(!utf8::is_valid(content) || utf8::is_valid(text));
  }
}

void check_one(const Retriever& retriever, const Artifact& artifact, std::string_view query, std::int64_t target,
               const TokenCounter& counter) {
  for (const auto& chosen :
       {retriever.extract(artifact, query, target, counter), retriever.summarize(artifact, query, target, counter)}) {
    demand(chosen.tokens <= target && counter.count(chosen.text) == chosen.tokens);
    check_spans(chosen, artifact.content);
  }
  demand(digest(artifact).find('\n') == std::string::npos);
}

std::string joined(const Selection& selection, const SelectionRequest& request) {
  std::string text;
  for (const auto& chosen : selection.chosen) {
    if (!text.empty()) text += request.separator;
    text += request.headers[chosen.index] + "\n" + chosen.text;
  }
  return text;
}

/// The parts of the input, which zero bytes divide.
std::vector<std::string> parts_of(std::string_view bytes) {
  std::vector<std::string> parts(1);
  for (const char byte : bytes) {
    if (byte == '\0' && parts.size() < 12) {
      parts.emplace_back();
    } else {
      parts.back() += byte;
    }
  }
  return parts;
}

}  // namespace

// Format, budget, and then the query and the texts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const auto counter = make_approximate_token_counter();
  const Retriever retriever;
  const auto parts = parts_of({reinterpret_cast<const char*>(data) + 2, size - 2});
  SelectionRequest request;
  request.query = parts[0];
  request.budget_tokens = data[1];
  std::vector<Artifact> artifacts;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    artifacts.push_back(make_document("text" + std::to_string(i), parts[i]));
    artifacts.back().content_format = static_cast<ContentFormat>((data[0] + i) % 8U);
    request.headers.push_back("[" + std::to_string(i) + "]");
  }
  const auto selection = retriever.select(artifacts, request, *counter);
  demand(selection.tokens <= request.budget_tokens);
  demand(counter->count(joined(selection, request)) == selection.tokens);
  for (const auto& chosen : selection.chosen) check_spans(chosen, artifacts[chosen.index].content);
  if (!artifacts.empty()) check_one(retriever, artifacts[0], request.query, request.budget_tokens, *counter);
  return 0;
}
