// What the observer uses of opentelemetry-cpp's API: the span that is open takes events with attributes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opentelemetry {
namespace nostd {
using std::shared_ptr;
using std::string_view;
}  // namespace nostd

namespace common {
using AttributeValue =
    std::variant<bool, std::int32_t, std::int64_t, std::uint32_t, double, const char*, nostd::string_view>;
}

namespace trace {

class Span {
 public:
  struct Kept {
    std::string name;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::int64_t> numbers;
  };

  void AddEvent(nostd::string_view name, const std::map<std::string, common::AttributeValue>& attributes) noexcept {
    Kept event{std::string(name), {}, {}};
    for (const auto& [key, value] : attributes) {
      if (const auto* text = std::get_if<nostd::string_view>(&value)) event.texts[key] = std::string(*text);
      if (const auto* number = std::get_if<std::int64_t>(&value)) event.numbers[key] = *number;
    }
    events.push_back(std::move(event));
  }

  std::vector<Kept> events;
};

class Tracer {
 public:
  static nostd::shared_ptr<Span> GetCurrentSpan() noexcept {
    static const auto span = std::make_shared<Span>();
    return span;
  }
};

}  // namespace trace
}  // namespace opentelemetry
