#include "engine/history/thread_state.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/json/json.hpp"
#include "core/most_tokens.hpp"
#include "core/utf8.hpp"
#include "ctxmgr/core/json_text.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::string_view version = "ctxmgr-thread-12";
constexpr std::size_t max_bytes = 4'096;
constexpr std::size_t max_plan_bytes = 16'384;
constexpr std::size_t max_marks = max_bytes / 3;
constexpr std::string_view mark_digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::int64_t most_nano_usd = std::int64_t{1} << 60;  // Sums stay in range.

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
  void mark(std::uint32_t mark) {
    for (const int shift : {12, 6, 0}) text_ += mark_digits[mark >> shift & 63U];
  }
  void bytes(std::string_view value) {
    number(value.size());
    text_.append(" ").append(value);
  }
  void blank() { text_ += ' '; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_{version};
};

class StateReader {
 public:
  explicit StateReader(std::string_view text) : rest_(text) {}

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
  void mark(std::uint32_t& mark) {
    if (rest_.size() < 3) return fail();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto digit = mark_digits.find(rest_[i]);
      if (digit == std::string_view::npos) return fail();
      mark = mark << 6U | static_cast<std::uint32_t>(digit);
    }
    rest_.remove_prefix(3);
  }
  void blank() {
    if (rest_.empty() || rest_.front() != ' ') return fail();
    rest_.remove_prefix(1);
  }
  void bytes(std::string& value, std::size_t most) {
    std::size_t size = 0;
    number(size);
    if (!good_ || size > most || rest_.size() < size + 1 || rest_.front() != ' ') return fail();
    value = rest_.substr(1, size);
    rest_.remove_prefix(size + 1);
    if (!utf8::is_valid(value)) fail();
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
  stream.number(memory.compacted_at);
  stream.number(memory.head.room);
  stream.number(memory.head.task);
  stream.number(memory.head.notes);
  stream.number(memory.head.state);
  stream.print(memory.question);
  stream.number(memory.block_tokens);
  stream.number(memory.hinted_by);
  stream.number(memory.warned_percent);
  stream.number(memory.told_percent);
  stream.print(memory.asked);
  stream.number(memory.asked_tokens);
  stream.number(memory.planning_tokens);
  stream.number(memory.planning_nano_usd);
}

bool read_extracts(StateReader& reader, PreviousBuild& memory) {
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

void write_evidence(const std::vector<ThreadEvidence>& evidence, Writer& writer) {
  writer.number(evidence.size());
  for (const auto& block : evidence) {
    writer.number(block.question);
    writer.number(block.compactions);
    writer.number(block.pieces.size());
    for (const auto& piece : block.pieces) {
      writer.number(piece.message);
      writer.number(piece.mark.times);
      writer.number(piece.mark.newer ? 2 * piece.mark.newer->message + (piece.mark.newer->changed ? 1 : 0) + 1 : 0);
      writer.number(piece.ranges.size());
      std::size_t end = 0;
      for (const auto& range : piece.ranges) {
        writer.number(range.offset - end);
        writer.number(range.length);
        end = range.offset + range.length;
      }
    }
  }
}

bool read_piece(StateReader& reader, EvidencePiece& piece, std::size_t& ranges_left) {
  std::size_t count = 0;
  std::size_t newer = 0;
  reader.number(piece.message);
  reader.number(piece.mark.times);
  reader.number(newer);
  if (newer > 0) piece.mark.newer = NewerMessage{(newer - 1) / 2, (newer - 1) % 2 == 1};
  reader.number(count);
  if (!reader.good() || count == 0 || count > ranges_left) return false;
  ranges_left -= count;
  std::size_t end = 0;
  for (std::size_t i = 0; i < count && reader.good(); ++i) {
    TextSpan range;
    reader.number(range.offset);
    reader.number(range.length);
    if (range.offset > longest_evidence_text || range.length > longest_evidence_text || range.length == 0) return false;
    range.offset += end;
    end = range.offset + range.length;
    piece.ranges.push_back(range);
  }
  return reader.good();
}

bool read_evidence(StateReader& reader, PreviousBuild& memory) {
  std::size_t blocks = 0;
  std::size_t ranges_left = most_kept_ranges;
  reader.number(blocks);
  if (!reader.good() || blocks > most_kept_ranges) return false;
  for (std::size_t b = 0; b < blocks; ++b) {
    ThreadEvidence block;
    std::size_t pieces = 0;
    reader.number(block.question);
    reader.number(block.compactions);
    reader.number(pieces);
    if (!reader.good() || pieces == 0 || pieces > ranges_left) return false;
    for (std::size_t i = 0; i < pieces; ++i)
      if (!read_piece(reader, block.pieces.emplace_back(), ranges_left)) return false;
    memory.evidence.push_back(std::move(block));
  }
  return true;
}

bool read_hosts(StateReader& reader, PreviousBuild& memory) {
  std::size_t count = 0;
  reader.number(count);
  if (!reader.good() || count > most_kept_by_host) return false;
  memory.kept.resize(count);
  for (auto& first : memory.kept) reader.number(first);
  reader.bytes(memory.host_text, most_host_text);
  return reader.good() && std::is_sorted(memory.kept.begin(), memory.kept.end());
}

bool read_summaries(StateReader& reader, PreviousBuild& memory) {
  std::size_t count = 0;
  reader.number(count);
  if (!reader.good() || count > most_noted_summaries) return false;
  memory.summaries.resize(count);
  for (auto& range : memory.summaries) {
    reader.number(range.first);
    reader.number(range.last);
  }
  return reader.good();
}

/// As many as there is room for, evenly.
void write_marks(const SentMarks& sent, Writer& writer) {
  constexpr std::size_t most_figures = 24;
  const auto room = max_bytes - std::min(max_bytes, writer.size() + most_figures);
  std::size_t step = 1;
  while (sent.marks.size() / step * 3 > room) step *= 2;
  const auto count = room == 0 ? 0 : sent.marks.size() / step;
  writer.number(sent.stride * step);
  writer.number(count);
  if (count > 0) writer.blank();
  for (std::size_t i = 1; i <= count; ++i) writer.mark(sent.marks[i * step - 1]);
}

bool read_marks(StateReader& reader, SentMarks& sent) {
  std::size_t count = 0;
  reader.number(sent.stride);
  reader.number(count);
  if (!reader.good() || sent.stride == 0 || count > max_marks) return false;
  if (count > 0) reader.blank();
  for (std::size_t i = 0; i < count && reader.good(); ++i) reader.mark(sent.marks.emplace_back());
  return reader.good();
}

/// Figures that no build writes would only make later sums overflow.
bool is_sane(const PreviousBuild& memory) {
  const auto within_budget = [&](std::int64_t tokens) { return tokens >= 0 && tokens <= memory.max_input; };
  return memory.max_input <= most_tokens && within_budget(memory.head.room) && within_budget(memory.head.task) &&
         within_budget(memory.head.notes) && within_budget(memory.head.state) && within_budget(memory.block_tokens) &&
         memory.warned_percent >= 0 && memory.warned_percent <= 100 && memory.told_percent >= 0 &&
         memory.told_percent <= 100 && memory.asked_tokens >= 0 && memory.asked_tokens <= most_tokens &&
         memory.planning_tokens >= 0 && memory.planning_tokens <= most_tokens && memory.planning_nano_usd >= 0 &&
         memory.planning_nano_usd < most_nano_usd;
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

/// Of messages before the one that it stands for; whether the ranges are in their texts is seen when they are read.
bool is_evidence(const ThreadEvidence& block, const PreviousBuild& memory) {
  return block.question < memory.messages && block.compactions <= made_by_compaction &&
         std::all_of(block.pieces.begin(), block.pieces.end(), [&](const EvidencePiece& piece) {
           return piece.message < memory.messages && piece.mark.times <= memory.messages &&
                  (!piece.mark.newer || piece.mark.newer->message < memory.messages);
         });
}

/// Without reasons: an array for each decision, in the order of the fields.
std::string short_form(const ArtifactPlan& plan, bool with_marks = false) {
  auto json = Json::array();
  for (const auto& d : plan.artifacts) {
    json.push_back(Json::array({with_marks ? mark_of_id(d.artifact_id) : d.artifact_id, static_cast<int>(d.strategy),
                                d.priority, d.target_tokens, d.summarization_focus, d.extraction_query}));
  }
  return dump_json(json);
}

/// As `short_form()` writes it.
struct ShortDecision {
  ArtifactDecision decision{};
};

void read_json(JsonReader& in, const Json& json, ShortDecision& out) {
  if (!json.is_array() || json.size() != 6) return in.fail("expected a decision");
  auto& decision = out.decision;
  std::int64_t strategy = 0;
  in.item(0, json[0], decision.artifact_id);
  in.item(1, json[1], strategy);
  in.item(2, json[2], decision.priority);
  in.item(3, json[3], decision.target_tokens);
  in.item(4, json[4], decision.summarization_focus);
  in.item(5, json[5], decision.extraction_query);
  if (strategy < 0 || strategy > static_cast<int>(ProcessingStrategy::exclude)) return in.fail("expected a strategy");
  decision.strategy = static_cast<ProcessingStrategy>(strategy);
}

std::optional<ArtifactPlan> read_plan(std::string_view text) {
  if (text.substr(0, 1) != "[") {
    auto plan = from_json<ArtifactPlan>(text);
    return plan ? std::optional(std::move(*plan)) : std::nullopt;
  }
  const auto json = parse_json(text);
  if (!json) return std::nullopt;
  JsonReader in;
  ArtifactPlan plan;
  for (std::size_t i = 0; i < json->size(); ++i) {
    ShortDecision read;
    in.item(i, (*json)[i], read);
    plan.artifacts.push_back(std::move(read.decision));
  }
  return in.ok() ? std::optional(std::move(plan)) : std::nullopt;
}

void append_plan(const ArtifactPlan& plan, std::string& text) {
  for (const auto& written : {to_json(plan), short_form(plan)}) {
    if (text.size() + 1 + written.size() > max_bytes) continue;
    text += '\n' + written;
    return;
  }
  if (const auto written = short_form(plan, true); written.size() <= max_plan_bytes) text += '\n' + written;
}

}  // namespace

namespace {

std::string encode_without_plan(const PreviousBuild& memory) {
  Writer writer;
  fields(writer, memory);
  const std::size_t count = memory.extracts.size() < most_kept_extracts ? memory.extracts.size() : most_kept_extracts;
  writer.number(count);
  auto newest_first = memory.extracts.rbegin();
  for (std::size_t i = 0; i < count; ++i, ++newest_first) {
    writer.number(newest_first->first);
    writer.number(newest_first->second);
  }
  write_evidence(memory.evidence, writer);
  writer.number(memory.kept.size());
  for (const auto first : memory.kept) writer.number(first);
  writer.bytes(memory.host_text);
  writer.number(memory.summaries.size());
  for (const auto& range : memory.summaries) {
    writer.number(range.first);
    writer.number(range.last);
  }
  write_marks(memory.sent, writer);
  return writer.take();
}

}  // namespace

SentMarks marks_of(const std::vector<ConversationMessage>& messages) {
  SentMarks sent;
  Fingerprint joined;
  for (const auto& message : messages) {
    joined = message_fingerprint(message, joined);
    sent.marks.push_back(static_cast<std::uint32_t>(joined.low & 0x3FFFFU));
  }
  return sent;
}

std::size_t messages_kept(const SentMarks& sent, const SentMarks& all) {
  const auto& now = all.marks;
  std::size_t kept = 0;
  for (const auto mark : sent.marks) {
    if (sent.stride > now.size() - kept || now[kept + sent.stride - 1] != mark) break;
    kept += sent.stride;
  }
  return kept;
}

bool has_room_for(const ArtifactPlan& plan) { return short_form(plan, true).size() <= max_plan_bytes; }

std::string mark_of_id(std::string_view artifact_id) { return "#" + fingerprint(artifact_id).hex().substr(0, 16); }

std::string encode(const PreviousBuild& memory) {
  auto text = encode_without_plan(memory);
  if (text.size() > max_bytes) {
    auto shorter = memory;
    while (!shorter.evidence.empty() && encode_without_plan(shorter).size() > max_bytes)
      shorter.evidence.erase(shorter.evidence.begin());
    text = encode_without_plan(shorter);
  }
  if (memory.plan) append_plan(*memory.plan, text);
  return text;
}

bool belongs_to(const PreviousBuild& memory, const ThreadAnalysis& thread) {
  if (memory.messages > thread.size() || thread.fingerprint_at(memory.messages) != memory.history) return false;
  const bool is_compacted = memory.compacted_at == 0 || memory.head.room > 0;
  return is_cut(memory.cut, memory, thread) && is_compacted && memory.cut <= memory.messages &&
         memory.compacted_at <= memory.messages && memory.hinted_by <= memory.messages &&
         std::all_of(memory.extracts.begin(), memory.extracts.end(),
                     [&](const auto& extract) { return is_extract(extract.first, extract.second, memory, thread); }) &&
         std::all_of(memory.kept.begin(), memory.kept.end(),
                     [&](std::size_t first) { return first < memory.cut && is_cut(first, memory, thread); }) &&
         std::all_of(memory.summaries.begin(), memory.summaries.end(),
                     [&](const MessageRange& range) {
                       return range.first < range.last && range.last <= memory.cut &&
                              is_cut(range.first, memory, thread);
                     }) &&
         std::all_of(memory.evidence.begin(), memory.evidence.end(),
                     [&](const auto& block) { return is_evidence(block, memory); });
}

PreviousBuild of_changed_history(PreviousBuild memory) {
  PreviousBuild kept;
  kept.asked = memory.asked;
  kept.asked_tokens = memory.asked_tokens;
  kept.plan = std::move(memory.plan);
  kept.planning_tokens = memory.planning_tokens;
  kept.planning_nano_usd = memory.planning_nano_usd;
  kept.sent = std::move(memory.sent);
  kept.warned_percent = memory.warned_percent;
  return kept;
}

std::optional<PreviousBuild> decode(std::string_view opaque) {
  if (opaque.size() > max_bytes + 1 + max_plan_bytes || opaque.substr(0, version.size()) != version)
    return std::nullopt;
  StateReader reader(opaque.substr(version.size()));
  PreviousBuild memory;
  fields(reader, memory);
  if (!reader.good() || !read_extracts(reader, memory) || !read_evidence(reader, memory) ||
      !read_hosts(reader, memory) || !read_summaries(reader, memory) || !read_marks(reader, memory.sent) ||
      !is_sane(memory))
    return std::nullopt;
  if (reader.rest().empty()) return memory;
  if (reader.rest().front() != '\n') return std::nullopt;
  memory.plan = read_plan(reader.rest().substr(1));
  if (!memory.plan) return std::nullopt;
  return memory;
}

}  // namespace ctxmgr::engine
