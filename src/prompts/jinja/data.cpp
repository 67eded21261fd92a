#include "prompts/jinja/data.hpp"

#include <cmath>

#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

std::string escape_pointer(const std::string& key) {
  std::string out;
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

class Converter {
 public:
  explicit Converter(Heap& heap) : heap_(heap) {}

  Value convert(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::boolean: return Value::boolean(json.boolean());
      case Json::Kind::integer: return Value::integer(json.integer());
      case Json::Kind::unsigned_integer: return unsigned_number(json.unsigned_integer());
      case Json::Kind::real: return real_number(json.real());
      case Json::Kind::string: return make_string(heap_, json.string());
      case Json::Kind::array: return array(json);
      case Json::Kind::object: return object(json);
      case Json::Kind::null: break;
    }
    return Value::none();
  }

 private:
  [[noreturn]] void fail() const { exceed("data: " + path_ + ": an integer of more than 64 bits is not supported"); }

  Value unsigned_number(std::uint64_t number) const {
    if (number > static_cast<std::uint64_t>(INT64_MAX)) fail();
    return Value::integer(static_cast<std::int64_t>(number));
  }

  // A large integer arrives as a float: which of the two it was cannot be told any more.
  Value real_number(double number) const {
    if (std::fabs(number) >= 9.2e18) fail();
    return Value::floating(number);
  }

  Value array(const Json& json) {
    std::vector<Value> items;
    items.reserve(json.size());
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < json.size(); ++i) {
      path_ += "/" + std::to_string(i);
      items.push_back(convert(json[i]));
      path_.resize(length);
    }
    return make_list(heap_, std::move(items));
  }

  Value object(const Json& json) {
    Value dict = make_dict(heap_);
    const std::size_t length = path_.size();
    for (const auto& [key, value] : json.members()) {
      path_ += "/" + escape_pointer(key);
      dict.dict().set(make_string(heap_, key), convert(value));
      path_.resize(length);
    }
    return dict;
  }

  Heap& heap_;
  std::string path_{};
};

}  // namespace

Value data_from_json(Heap& heap, const Json& object) { return Converter(heap).convert(object); }

}  // namespace ctxmgr::jinja
