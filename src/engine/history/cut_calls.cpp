#include "engine/history/cut_calls.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/structure/call_line.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_key = 40;  // bytes
constexpr std::size_t most_refused = 40;

/// Calls of one tool with one key.
struct Key {
  std::string text{};
  std::size_t calls = 0;
  std::string handle{};  ///< Of the newest.
  bool shown = false;
  bool with_handle = false;
};

struct Line {
  std::string what{};
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::size_t calls = 0;
  std::vector<Key> keys{};  ///< In the order of their first calls.
  bool shown = false;
};

std::string text_of_key(const Key& key) {
  std::string text = key.text;
  if (key.calls > 1) text.append(" (").append(std::to_string(key.calls)).append(")");
  if (key.with_handle) text.append(" <").append(key.handle).append(">");
  return text;
}

std::string text_of_line(const Line& line) {
  std::string text = "[";
  text += std::to_string(line.first);
  if (line.last != line.first) text.append("-").append(std::to_string(line.last));
  text += "] ";
  if (line.calls > 1) text.append(std::to_string(line.calls)).append(" calls of ");
  text += line.what;
  std::size_t others = line.calls;
  std::string_view separator = ": ";
  for (const Key& key : line.keys) {
    if (!key.shown) continue;
    text.append(separator).append(text_of_key(key));
    separator = ", ";
    others -= key.calls;
  }
  if (others > 0 && others < line.calls) text.append(", ").append(std::to_string(others)).append(" others");
  return text += "\n";
}

class Collapse {
 public:
  Collapse(const std::vector<CutCall>& calls, std::int64_t limit,
           const std::function<std::int64_t(std::string_view)>& count)
      : limit_(limit), count_(count) {
    std::map<std::string_view, std::size_t> lines;
    std::map<std::pair<std::size_t, std::string_view>, std::size_t> keys;
    for (const CutCall& call : calls) {
      const auto line = lines.emplace(call.what, lines_.size()).first->second;
      if (line == lines_.size()) lines_.push_back({call.what, call.number, call.number});
      lines_[line].last = call.number;
      ++lines_[line].calls;
      if (call.key.empty()) continue;
      auto& known = lines_[line].keys;
      const auto key = keys.emplace(std::pair(line, std::string_view(call.key)), known.size()).first->second;
      if (key == known.size()) known.push_back({call.key});
      ++known[key].calls;
      known[key].handle = call.handle;
      newest_.emplace_back(line, key);
    }
    std::reverse(newest_.begin(), newest_.end());
  }

  std::string make() {
    show_lines();
    show(&Key::shown, [](const Key& key) { return ", " + text_of_key(key); });
    show(&Key::with_handle, [](const Key& key) { return key.handle.empty() ? "" : " <" + key.handle + ">"; });
    std::string text = render();
    // Pieces may count less than they do together.
    for (; !added_.empty() && count_(text) > limit_; text = render()) {
      added_.back().first->*added_.back().second = false;
      added_.pop_back();
    }
    return count_(text) <= limit_ ? text : std::string();
  }

 private:
  /// Those with the newest calls first.
  void show_lines() {
    std::vector<Line*> order;
    for (Line& line : lines_) order.push_back(&line);
    std::stable_sort(order.begin(), order.end(), [](const Line* a, const Line* b) { return a->last > b->last; });
    for (Line* line : order) {
      const auto cost = count_(text_of_line(*line)) + others_tokens;
      line->shown = used_ + cost <= limit_;
      if (line->shown) used_ += cost;
    }
  }

  template <class Text>
  void show(bool Key::*form, Text text) {
    std::size_t refused = 0;
    for (const auto& [line, number] : newest_) {
      Key& key = lines_[line].keys[number];
      if (!lines_[line].shown || key.*form || (form == &Key::with_handle && !key.shown)) continue;
      const std::string added = text(key);
      if (added.empty()) continue;
      const auto cost = count_(added);
      if (used_ + cost > limit_) {
        if (++refused > most_refused) return;
        continue;
      }
      used_ += cost;
      key.*form = true;
      added_.emplace_back(&key, form);
    }
  }

  [[nodiscard]] std::string render() const {
    std::string text;
    for (const Line& line : lines_)
      if (line.shown) text += text_of_line(line);
    return text;
  }

  static constexpr std::int64_t others_tokens = 4;  // ", 12 others"

  const std::int64_t limit_;
  const std::function<std::int64_t(std::string_view)>& count_;
  std::vector<Line> lines_;
  std::vector<std::pair<std::size_t, std::size_t>> newest_;  ///< Line and key of each call, newest first.
  std::vector<std::pair<Key*, bool Key::*>> added_;
  std::int64_t used_ = 0;
};

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789.+-") == std::string_view::npos; }

}  // namespace

std::string key_of_call(const ToolCall& call) {
  const std::string values = argument_values(call.arguments_json, std::string_view("\0", 1));
  std::string_view rest = values;
  while (!rest.empty()) {
    const auto value = rest.substr(0, rest.find('\0'));
    if (!is_number(value)) return single_line(value, longest_key);
    rest.remove_prefix(std::min(rest.size(), value.size() + 1));
  }
  return single_line(std::string_view(values).substr(0, values.find('\0')), longest_key);
}

std::string collapsed_calls(const std::vector<CutCall>& calls, std::int64_t limit,
                            const std::function<std::int64_t(std::string_view)>& count) {
  if (calls.empty() || limit <= 0) return {};
  return Collapse(calls, limit, count).make();
}

}  // namespace ctxmgr::engine
