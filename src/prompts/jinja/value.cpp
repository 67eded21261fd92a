#include "prompts/jinja/value.hpp"

#include <cmath>
#include <functional>

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

constexpr std::size_t unknown_length = static_cast<std::size_t>(-1);
constexpr std::size_t unindexed_entries = 8;

std::size_t hash_text(std::string_view text) { return std::hash<std::string_view>{}(text); }

std::size_t hash_double(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e18) {
    return std::hash<std::int64_t>{}(static_cast<std::int64_t>(value)) * 0x9E3779B97F4A7C15ULL;
  }
  return std::hash<double>{}(value);
}

std::optional<std::size_t> hash_tuple(Heap& heap, const SequenceObject& tuple) {
  const Nesting nesting(heap);
  heap.step(tuple.items.size());
  std::size_t hash = 0x345678;
  for (const Value& item : tuple.items) {
    const auto of_item = find_hash(heap, item);
    if (!of_item) return std::nullopt;
    hash = (hash ^ *of_item) * 1000003;
  }
  return hash;
}

std::size_t hash_of(Heap& heap, const Value& key) {
  const auto hash = find_hash(heap, key);
  if (!hash) refuse("a value of this type cannot be a key");
  return *hash;
}

}  // namespace

StringObject::StringObject(std::string value, bool is_markup)
    : Object(Tag::string), text(std::move(value)), markup(is_markup), code_points_(unknown_length) {}

std::size_t StringObject::code_points() const {
  if (code_points_ == unknown_length) code_points_ = utf8::count_code_points(text);
  return code_points_;
}

RangeObject::RangeObject(std::int64_t from, std::int64_t to, std::int64_t by)
    : Object(Tag::range), start(from), stop(to), step(by), length(0) {
  if (step > 0 ? from >= to : from <= to) return;
  // Differences of two signed numbers of 64 bits fit in 64 bits without a sign.
  const auto first = static_cast<std::uint64_t>(from), last = static_cast<std::uint64_t>(to);
  const auto by_unsigned = static_cast<std::uint64_t>(step);
  const auto span = step > 0 ? last - first : first - last;
  length = static_cast<std::size_t>((span - 1) / (step > 0 ? by_unsigned : 0 - by_unsigned) + 1);
}

std::int64_t RangeObject::at(std::size_t position) const { return start + static_cast<std::int64_t>(position) * step; }

std::optional<std::size_t> find_hash(Heap& heap, const Value& key) {
  switch (key.tag()) {
    case Tag::string: heap.step(key.text().size() / 64); return hash_text(key.text());
    case Tag::boolean:
    case Tag::integer: return std::hash<std::int64_t>{}(key.as_integer()) * 0x9E3779B97F4A7C15ULL;
    case Tag::floating: return hash_double(key.as_double());
    case Tag::none: return 0x9E37;
    case Tag::tuple: return hash_tuple(heap, key.sequence());
    default: return std::nullopt;
  }
}

template <class Equal>
Value* DictObject::locate(std::size_t hash, const Equal& equal) {
  if (index_.empty()) {
    for (Entry& entry : entries) {
      if (entry.hash == hash && equal(entry.key)) return &entry.value;
    }
    return nullptr;
  }
  const std::size_t mask = index_.size() - 1;
  for (std::size_t slot = hash & mask; index_[slot] != 0; slot = (slot + 1) & mask) {
    Entry& entry = entries[index_[slot] - 1];
    if (entry.hash == hash && equal(entry.key)) return &entry.value;
    heap->step();  // Whoever crafts colliding keys spends the steps, not the time.
  }
  return nullptr;
}

Value* DictObject::find(const Value& key) {
  return locate(hash_of(*heap, key), [this, &key](const Value& candidate) { return equals(*heap, candidate, key); });
}

Value* DictObject::find(std::string_view key) {
  heap->step(key.size() / 64);
  return locate(hash_text(key),
                [key](const Value& candidate) { return candidate.is(Tag::string) && candidate.text() == key; });
}

void DictObject::index_entry(std::size_t position) {
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = entries[position].hash & mask;
  while (index_[slot] != 0) {
    slot = (slot + 1) & mask;
    heap->step();
  }
  index_[slot] = static_cast<std::uint32_t>(position + 1);
}

void DictObject::rebuild_index(std::size_t capacity) {
  index_.assign(capacity, 0);
  for (std::size_t position = 0; position < entries.size(); ++position) index_entry(position);
}

void DictObject::set(const Value& key, Value value) {
  const std::size_t hash = hash_of(*heap, key);
  if (Value* known = locate(hash, [this, &key](const Value& candidate) { return equals(*heap, candidate, key); })) {
    *known = value;
    return;
  }
  heap->charge(sizeof(Entry) + 2 * sizeof(std::uint32_t));
  entries.push_back({key, value, hash});
  if (entries.size() <= unindexed_entries) return;
  if (entries.size() * 2 > index_.size()) {
    rebuild_index(std::max<std::size_t>(32, index_.size() * 2));
  } else {
    index_entry(entries.size() - 1);
  }
}

Value make_string(Heap& heap, std::string text, bool markup) {
  heap.step_text(text.size());
  heap.charge(text.size());
  return Value::of(heap.make<StringObject>(std::move(text), markup));
}

Value make_sequence(Heap& heap, Tag tag, std::vector<Value> items) {
  heap.step(1 + items.size() / 8);
  heap.charge(items.size() * sizeof(Value));
  return Value::of(heap.make<SequenceObject>(tag, std::move(items)));
}

Value make_list(Heap& heap, std::vector<Value> items) { return make_sequence(heap, Tag::list, std::move(items)); }
Value make_tuple(Heap& heap, std::vector<Value> items) { return make_sequence(heap, Tag::tuple, std::move(items)); }
Value make_dict(Heap& heap) { return Value::of(heap.make<DictObject>()); }

Value make_iterator(Heap& heap, std::function<bool(Value&)> next) {
  return Value::of(heap.make<IteratorObject>(std::move(next)));
}

void append(SequenceObject& list, Value item) {
  list.heap->charge(sizeof(Value));
  list.items.push_back(item);
}

}  // namespace ctxmgr::jinja
