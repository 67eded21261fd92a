#include "engine/history/thread_state.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/most_tokens.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view version = "ctxmgr-thread-4";
constexpr std::size_t max_bytes = 4'096;

class Writer {
 public:
  template <class Integer>
  void number(Integer value) {
    text_ += ' ';
    text_ += std::to_string(value);
  }
  void print(const Fingerprint& value) {
    number(value.low);
    number(value.high);
  }
  void prefix(const SentPrefix& sent) {
    number(sent.messages);
    number(sent.tokens);
    print(sent.fingerprint);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_{version};
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  template <class Integer>
  void number(Integer& value) {
    if (rest_.empty() || rest_.front() != ' ') return fail();
    rest_.remove_prefix(1);
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  }
  void print(Fingerprint& value) {
    number(value.low);
    number(value.high);
  }
  void prefix(SentPrefix& sent) {
    number(sent.messages);
    number(sent.tokens);
    print(sent.fingerprint);
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  void fail() { good_ = false; }

  std::string_view rest_;
  bool good_ = true;
};

/// One list of the fields for both directions.
template <class Stream, class Memory>
void fields(Stream& stream, Memory& memory) {
  stream.number(memory.messages);
  stream.print(memory.history);
  stream.number(memory.max_input);
  stream.number(memory.cut);
  stream.number(memory.mask_before);
  stream.number(memory.mask_from);
  stream.number(memory.compacted_at);
  stream.print(memory.question);
  stream.number(memory.block_tokens);
  stream.number(memory.hinted_by);
  stream.prefix(memory.stable);
  stream.prefix(memory.complete);
  stream.number(memory.warned_percent);
}

bool read_extracts(Reader& reader, PreviousBuild& memory) {
  std::size_t count = 0;
  reader.number(count);
  if (count > most_kept_extracts) return false;
  for (std::size_t i = 0; i < count && reader.good(); ++i) {
    std::size_t message = 0;
    reader.number(message);
    reader.number(memory.extracts[message]);
  }
  return reader.good();
}

/// Figures that no build writes would only make later sums overflow.
bool is_sane(const PreviousBuild& memory) {
  const auto within_budget = [&](std::int64_t tokens) { return tokens >= 0 && tokens <= memory.max_input; };
  return memory.max_input <= most_tokens && memory.mask_from >= 0 && memory.mask_from <= most_tokens &&
         within_budget(memory.block_tokens) && within_budget(memory.stable.tokens) &&
         within_budget(memory.complete.tokens) && memory.stable.messages <= memory.complete.messages &&
         memory.warned_percent >= 0 && memory.warned_percent <= 100;
}

/// The end of what was there, or where a group begins.
bool is_cut(std::size_t message, const PreviousBuild& memory, const ThreadAnalysis& thread) {
  if (message >= memory.messages) return message == memory.messages;
  return thread.groups()[thread.group_of(message)].first == message;
}

bool is_extract(std::size_t message, std::int64_t tokens, const PreviousBuild& memory, const ThreadAnalysis& thread) {
  if (message >= memory.messages || tokens <= 0 || tokens > most_tokens) return false;
  const auto& group = thread.groups()[thread.group_of(message)];
  return (group.has_results && message != group.first) || thread.roles().of(message) == ThreadRole::observation;
}

}  // namespace

std::string encode(const PreviousBuild& memory) {
  Writer writer;
  fields(writer, memory);
  const std::size_t count = memory.extracts.size() < most_kept_extracts ? memory.extracts.size() : most_kept_extracts;
  writer.number(count);
  auto newest_first = memory.extracts.rbegin();
  for (std::size_t i = 0; i < count; ++i, ++newest_first) {
    writer.number(newest_first->first);
    writer.number(newest_first->second);
  }
  std::string text = writer.take();
  if (memory.plan) {
    const std::string plan = to_json(*memory.plan);
    if (text.size() + 1 + plan.size() <= max_bytes) text += '\n' + plan;
  }
  return text;
}

bool belongs_to(const PreviousBuild& memory, const ThreadAnalysis& thread) {
  if (memory.messages > thread.size() || thread.fingerprint_at(memory.messages) != memory.history) return false;
  return is_cut(memory.cut, memory, thread) && memory.mask_before <= memory.messages &&
         memory.compacted_at <= memory.messages && memory.hinted_by <= memory.messages &&
         std::all_of(memory.extracts.begin(), memory.extracts.end(),
                     [&](const auto& extract) { return is_extract(extract.first, extract.second, memory, thread); });
}

std::optional<PreviousBuild> decode(std::string_view opaque) {
  if (opaque.size() > max_bytes || opaque.substr(0, version.size()) != version) return std::nullopt;
  Reader reader(opaque.substr(version.size()));
  PreviousBuild memory;
  fields(reader, memory);
  if (!reader.good() || !read_extracts(reader, memory) || !is_sane(memory)) return std::nullopt;
  if (reader.rest().empty()) return memory;
  if (reader.rest().front() != '\n') return std::nullopt;
  auto plan = from_json<ArtifactPlan>(reader.rest().substr(1));
  if (!plan) return std::nullopt;
  memory.plan = std::move(*plan);
  return memory;
}

}  // namespace ctxmgr::engine
