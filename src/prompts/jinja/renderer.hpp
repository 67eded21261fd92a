#pragma once
#include <memory>
#include <string>
#include <vector>

#include "prompts/jinja/arguments.hpp"
#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/functions.hpp"
#include "prompts/jinja/macro.hpp"

namespace ctxmgr::jinja {

struct RenderSettings {
  bool strict = false;
  bool chat = false;  ///< The environment of chat templates: values are immutable, tojson does not escape.
  std::string fence_nonce{};
  std::size_t max_output_bytes = 0;
  std::size_t max_call_depth = 0;
};

/// One rendering of a program: walks the tree, with the variables in frames of slots.
/// Thread-safety: used by one thread; any number of them may share a program.
class Renderer {
 public:
  Renderer(const Program& program, const RenderSettings& settings, Heap& heap, DictObject& data);

  [[nodiscard]] std::string run();
  /// Of what was at work when something failed.
  [[nodiscard]] std::uint32_t offset() const { return offset_; }

  // For filters, tests and functions.
  [[nodiscard]] Heap& heap() { return heap_; }
  [[nodiscard]] const RenderSettings& settings() const { return settings_; }
  [[nodiscard]] bool strict() const { return settings_.strict; }
  [[nodiscard]] Value undefined() const { return Value::undefined(settings_.strict); }
  [[nodiscard]] Value text(std::string value, bool markup = false) {
    return make_string(heap_, std::move(value), markup);
  }
  [[nodiscard]] Value attribute(const Value& object, StringObject& name);
  [[nodiscard]] Value item(const Value& object, const Value& key);
  [[nodiscard]] Value call(const Value& callee, Arguments& arguments);
  [[nodiscard]] Value apply(const FunctionSpec& function, Arguments& arguments);

 private:
  enum class Flow { normal, leave_loop, next_iteration };
  class Running;

  void check_stack() const;
  Value& slot(Address address);
  void enter(const std::vector<Load>& loads);
  void leave(const std::vector<Load>& loads);
  Value resolve(const Value& name);
  Frame* make_frame(std::uint16_t slots, Frame* parent);
  void write(std::string_view text);
  void write_value(const Value& value);
  void pay_for_text(const Value& value);

  Flow execute(const std::vector<Statement*>& body);
  Flow execute(const Statement& statement);
  Flow execute_condition(const Statement& statement);
  Flow execute_loop(const Statement& loop);
  /// Whether an iteration reached the end of its body.
  template <class Next>
  bool run_loop(const Statement& loop, Next next);
  Value filtered(const Statement& loop, const Value& iterable);
  void execute_block(const Statement& statement);
  void execute_with(const Statement& statement);
  std::string capture(const std::vector<Statement*>& body);
  void assign(const Expression& target, const Value& value);

  Value evaluate(const Expression& expression);
  Value evaluate_name(const Expression& expression);
  Value evaluate_elements(const Expression& expression);
  Value evaluate_binary(const Expression& expression);
  Value evaluate_comparison(const Expression& expression);
  Value evaluate_concat(const Expression& expression);
  Value evaluate_conditional(const Expression& expression);
  Value evaluate_attribute(const Expression& expression);
  Value evaluate_slice(const Expression& expression);
  Value evaluate_call(const Expression& expression);
  Value evaluate_filter(const Expression& expression);
  void evaluate_arguments(const Expression& expression, Arguments& arguments);

  Value call_macro(const MacroObject& macro, Arguments& arguments);
  void fill_defaults(const Signature& signature);

  const Program& program_;
  const RenderSettings& settings_;
  Heap& heap_;
  DictObject& data_;
  Frame* frame_ = nullptr;
  std::string* out_ = nullptr;
  Value captured_{};  ///< What a block's innermost filter applies to.
  std::uint32_t offset_ = 0;
  std::size_t call_depth_ = 0;
  const char* stack_base_ = nullptr;
};

}  // namespace ctxmgr::jinja
