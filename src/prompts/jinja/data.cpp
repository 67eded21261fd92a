#include "prompts/jinja/data.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/json/half_surrogates.hpp"
#include "core/json/json.hpp"
#include "core/json/parser.hpp"
#include "core/utf8.hpp"
#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

/// Builds values from the parser's events, and stops at what this engine cannot hold or parse_json() refuses.
class DataBuilder final : public JsonEvents {
 public:
  explicit DataBuilder(Heap& heap) : heap_(heap) {}

  bool null() override { return add(Value::none()); }
  bool boolean(bool value) override { return add(Value::boolean(value)); }
  bool integer(std::int64_t value) override { return add(Value::integer(value)); }
  bool unsigned_integer(std::uint64_t value) override {
    too_big = value > INT64_MAX;
    return !too_big && add(Value::integer(static_cast<std::int64_t>(value)));
  }
  bool real(double value, std::string_view written) override {
    if (written == "-0") return add(Value::integer(0));
    too_big = written.find_first_of(".eE") == std::string_view::npos;
    return !too_big && add(Value::floating(value));
  }
  bool string(std::string& value) override { return add(make_string(heap_, std::move(value))); }

  bool key(std::string& value) override {
    open_.back().key = make_string(heap_, std::move(value));
    return true;
  }

  bool begin(char bracket) override {
    if (open_.size() == max_json_depth || (open_.empty() && bracket == '[')) return false;
    open_.emplace_back();
    if (bracket == '{') open_.back().dict = make_dict(heap_);
    return true;
  }

  bool end(char bracket) override {
    Open closed = std::move(open_.back());
    open_.pop_back();
    return add(bracket == '{' ? closed.dict : make_list(heap_, std::move(closed.items)));
  }

  Value root;
  bool too_big = false;

 private:
  struct Open {
    Value dict;  ///< Missing: a list.
    Value key;
    std::vector<Value> items{};
  };

  bool add(Value value) {
    if (open_.empty()) {
      root = value;
      return root.is(Tag::dict);
    }
    Open& around = open_.back();
    if (around.dict.is(Tag::missing)) {
      around.items.push_back(value);
      return true;
    }
    DictObject& dict = around.dict.dict();
    const std::size_t size = dict.size();
    dict.set(around.key, value);
    return dict.size() > size;
  }

  Heap& heap_;
  std::vector<Open> open_{};
};

}  // namespace

Value read_data(Heap& heap, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == byte_order_mark) text.remove_prefix(3);
  DataBuilder builder(heap);
  const auto fault = utf8::is_valid(text) ? parse_events(text, builder) : JsonFault{};
  if (!fault) return builder.root;
  if (builder.too_big) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(fault->offset), '\n') + 1;
    exceed("data: line " + std::to_string(line) + ": an integer of more than 64 bits is not supported");
  }
  if (const auto mended = mend_half_surrogates(text)) return read_data(heap, mended->text);
  const auto json = parse_json(text);
  if (!json) throw Failure{json.error().code, "data: " + json.error().message};
  refuse("data: expected an object");
}

}  // namespace ctxmgr::jinja
