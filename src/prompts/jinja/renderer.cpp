#include "prompts/jinja/renderer.hpp"

#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/operators.hpp"

namespace ctxmgr::jinja {
namespace {

// Of the thread's stack, so that threads with little of it are safe. Instrumented builds have larger frames.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::ptrdiff_t max_stack_bytes = 512 * 1024;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr std::ptrdiff_t max_stack_bytes = 512 * 1024;
#else
constexpr std::ptrdiff_t max_stack_bytes = 80 * 1024;
#endif
#else
constexpr std::ptrdiff_t max_stack_bytes = 80 * 1024;
#endif

}  // namespace

Renderer::Renderer(const Program& program, const RenderSettings& settings, Heap& heap, DictObject& data)
    : program_(program), settings_(settings), heap_(heap), data_(data) {}

std::string Renderer::run() {
  const char base = 0;
  stack_base_ = &base;
  std::string output;
  out_ = &output;
  frame_ = make_frame(program_.slots, nullptr);
  enter(program_.loads);
  execute(program_.body);
  return output;
}

void Renderer::check_stack() const {
  const char here = 0;
  const std::ptrdiff_t used = stack_base_ - &here;
  if (used > max_stack_bytes || used < -max_stack_bytes) exceed("the template is nested too deeply");
}

Value& Renderer::slot(Address address) {
  Frame* frame = frame_;
  for (std::uint16_t hop = address.hops; hop > 0; --hop) frame = frame->parent;
  return frame->slots[address.slot];
}

Value Renderer::resolve(const Value& name) {
  if (Value* value = data_.find(name.text())) return *value;
  if (const FunctionSpec* global = find_global(name.text())) {
    return Value::of(heap_.make<FunctionObject>(*global, Value()));
  }
  return {};
}

void Renderer::enter(const std::vector<Load>& loads) {
  heap_.step(loads.size() / 4);
  for (const Load& load : loads) {
    Value& target = frame_->slots[load.slot];
    switch (load.kind) {
      case LoadKind::parameter: break;
      case LoadKind::undefined: target = Value(); break;
      case LoadKind::resolve: target = resolve(load.name); break;
      case LoadKind::alias: target = slot(load.from); break;
    }
  }
}

void Renderer::leave(const std::vector<Load>& loads) {
  for (const Load& load : loads) frame_->slots[load.slot] = Value();
}

Frame* Renderer::make_frame(std::uint16_t slots, Frame* parent) {
  heap_.step(1 + slots / 8U);
  heap_.charge(slots * sizeof(Value));
  return heap_.make<Frame>(parent, slots);
}

void Renderer::write(std::string_view text) {
  heap_.step_text(text.size());
  if (text.size() > settings_.max_output_bytes - std::min(settings_.max_output_bytes, out_->size())) {
    exceed("the output is too long");
  }
  out_->append(text);
}

void Renderer::write_value(const Value& value) {
  if (value.is(Tag::string)) return write(value.text());
  if (value.is(Tag::integer)) {
    append_str(heap_, value, *out_);
    heap_.step();
    return;
  }
  write(to_str(heap_, value));
}

Value Renderer::call(const Value& callee, Arguments& arguments) {
  check_stack();
  switch (callee.tag()) {
    case Tag::function: {
      const auto& function = callee.as<FunctionObject>();
      auto& positional = arguments.positional;
      if (!function.self.is(Tag::missing)) positional.insert(positional.begin(), function.self);
      return apply(*function.spec, arguments);
    }
    case Tag::macro: return call_macro(callee.as<MacroObject>(), arguments);
    case Tag::undefined: refuse_undefined(callee);
    default: refuse(std::string(type_name(callee)) + " cannot be called");
  }
}

Value Renderer::apply(const FunctionSpec& function, Arguments& arguments) {
  if (function.call == nullptr) refuse("'" + std::string(function.name) + "' is not supported");
  bind(function.name, function.parameters, arguments);
  heap_.step();
  if (function.cost == Cost::texts) {
    for (const Value& value : arguments.positional) pay_for_text(value);
    for (const auto& [name, value] : arguments.keywords) pay_for_text(value);
  }
  return function.call(*this, arguments);
}

void Renderer::pay_for_text(const Value& value) {
  if (value.is(Tag::string)) heap_.step(value.text().size() / 64);
}

}  // namespace ctxmgr::jinja
