#pragma once
#include <cstdint>

#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/value.hpp"

namespace ctxmgr::jinja {

struct Statement;

/// The variable `loop`. Looks one item ahead, and takes the rest at once, only where the template asks for it.
struct LoopObject final : Object {
  explicit LoopObject(Value iterable);

  [[nodiscard]] bool advance(Value& item);
  [[nodiscard]] bool is_last();
  [[nodiscard]] std::size_t length();
  /// Missing where `name` is no attribute.
  [[nodiscard]] Value attribute(std::string_view name, bool strict);

  Value source;
  Cursor cursor;
  Value before, current, after;  ///< Missing where there is none.
  std::vector<Value> rest;       ///< What was taken ahead for the length.
  std::size_t rest_position = 0;
  bool has_rest = false;
  std::int64_t index0 = -1;
  std::int64_t known_length = -1;

 private:
  bool take(Value& item);
};

[[nodiscard]] std::size_t loop_length(const Value& loop);

}  // namespace ctxmgr::jinja
