#include "prompts/jinja/cursor.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {

Renderer::Flow Renderer::execute(const std::vector<Statement*>& body) {
  for (const Statement* statement : body) {
    const Flow flow = execute(*statement);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Renderer::Flow Renderer::execute(const Statement& statement) {
  heap_.step();
  switch (statement.kind) {
    case StatementKind::text: write(statement.text); break;
    case StatementKind::output:
      for (const Expression* output : statement.outputs) write_value(evaluate(*output));
      break;
    case StatementKind::condition: return execute_condition(statement);
    case StatementKind::loop: return execute_loop(statement);
    case StatementKind::assignment: assign(*statement.target, evaluate(*statement.value)); break;
    case StatementKind::macro:
      slot(statement.target->address) = Value::of(heap_.make<MacroObject>(statement, *frame_));
      break;
    case StatementKind::assignment_block:
    case StatementKind::filter_block: execute_block(statement); break;
    case StatementKind::with: execute_with(statement); break;
    case StatementKind::loop_break: return Flow::leave_loop;
    case StatementKind::loop_continue: return Flow::next_iteration;
  }
  return Flow::normal;
}

Renderer::Flow Renderer::execute_condition(const Statement& statement) {
  check_stack();
  for (const Branch& branch : statement.branches) {
    if (branch.condition == nullptr || is_true(evaluate(*branch.condition))) return execute(branch.body);
  }
  return Flow::normal;
}

// Loops ---------------------------------------------------------------------------------------------------------------

/// What `for x in y if z` goes through: the items that pass, tested one by one as they are asked for.
Value Renderer::filtered(const Statement& loop, const Value& iterable) {
  enter(loop.condition_loads);
  return make_iterator(heap_, [this, &loop, frame = frame_, cursor = Cursor(iterable)](Value& item) mutable {
    while (cursor.next(heap_, item)) {
      Frame* current = std::exchange(frame_, frame);
      assign(*loop.filter_target, item);
      const bool passes = is_true(evaluate(*loop.condition));
      frame_ = current;
      if (passes) return true;
    }
    return false;
  });
}

template <class Next>
bool Renderer::run_loop(const Statement& loop, Next next) {
  bool completed = false;
  Value item;
  while (next(item)) {
    assign(*loop.target, item);
    enter(loop.loads);
    const Flow flow = execute(loop.body);
    if (flow == Flow::leave_loop) break;
    if (flow == Flow::normal) completed = true;
  }
  return completed;
}

Renderer::Flow Renderer::execute_loop(const Statement& loop) {
  check_stack();
  const Value iterable = evaluate(*loop.value);
  offset_ = loop.offset;
  const Value items = loop.condition != nullptr ? filtered(loop, iterable) : iterable;
  bool completed = false;
  if (loop.uses_loop) {
    auto* state = heap_.make<LoopObject>(items);
    completed = run_loop(loop, [&](Value& item) {
      frame_->slots[loop.loop_slot] = Value::of(state);
      return state->advance(item);
    });
  } else {
    completed = run_loop(loop, [&, cursor = Cursor(items)](Value& item) mutable { return cursor.next(heap_, item); });
  }
  leave(loop.loads);
  // jinja2's `else` runs unless an iteration reached the end of its body: after `break` or `continue` it may run, too.
  if (completed || loop.otherwise.empty()) return Flow::normal;
  enter(loop.otherwise_loads);
  execute(loop.otherwise);
  leave(loop.otherwise_loads);
  return Flow::normal;
}

// Assignments and blocks ----------------------------------------------------------------------------------------------

void Renderer::assign(const Expression& target, const Value& value) {
  if (target.kind == ExpressionKind::name) {
    slot(target.address) = value;
    return;
  }
  if (target.kind == ExpressionKind::namespace_attribute) {
    const Value& holder = slot(target.operand->address);
    if (!holder.is(Tag::space)) refuse("an attribute can only be set on a namespace", target.offset);
    return holder.as<NamespaceObject>().attributes.dict().set(target.constant, value);
  }
  const std::vector<Value> items = collect(heap_, value);
  if (items.size() != target.items.size()) refuse("the number of values to unpack differs", target.offset);
  for (std::size_t i = 0; i < items.size(); ++i) assign(*target.items[i], items[i]);
}

std::string Renderer::capture(const std::vector<Statement*>& body) {
  std::string buffer;
  std::string* previous = std::exchange(out_, &buffer);
  execute(body);
  out_ = previous;
  return buffer;
}

/// A block that filters its text, or assigns it.
void Renderer::execute_block(const Statement& statement) {
  check_stack();
  enter(statement.loads);
  Value value = text(capture(statement.body));
  if (statement.value != nullptr) {
    captured_ = value;
    value = evaluate(*statement.value);
  }
  if (statement.target != nullptr) {
    assign(*statement.target, value);
  } else if (value.is(Tag::string)) {
    write(value.text());
  } else {
    refuse("a block's result is no text");
  }
  leave(statement.loads);
}

void Renderer::execute_with(const Statement& statement) {
  check_stack();
  enter(statement.loads);
  for (std::size_t i = 0; i < statement.outputs.size(); ++i) {
    assign(*statement.outputs[i], evaluate(*statement.values[i]));
  }
  execute(statement.body);
  leave(statement.loads);
}

// Macros --------------------------------------------------------------------------------------------------------------

Value Renderer::call_macro(const MacroObject& macro, Arguments& arguments) {
  if (++call_depth_ > settings_.max_call_depth) exceed("calls are nested too deeply");
  const Signature& signature = macro.node->signature;
  Frame* frame = make_frame(signature.slots, macro.frame);
  heap_.step(signature.parameters.size() * arguments.keywords.size() / 8);
  bind(macro.node->target->constant.text(), {signature.names}, arguments);
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    frame->slots[signature.parameters[i]->address.slot] = arguments.positional[i];
  }
  Frame* caller = std::exchange(frame_, frame);
  enter(macro.node->loads);
  fill_defaults(signature);
  std::string result = capture(macro.node->body);
  frame_ = caller;
  --call_depth_;
  return text(std::move(result));
}

void Renderer::fill_defaults(const Signature& signature) {
  const std::size_t first_default = signature.parameters.size() - signature.defaults.size();
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const Expression& parameter = *signature.parameters[i];
    if (!slot(parameter.address).is(Tag::missing)) continue;
    Value value = i < first_default ? Value::undefined(settings_.strict, &parameter.constant.string())
                                    : evaluate(*signature.defaults[i - first_default]);
    slot(parameter.address) = value;
  }
}

}  // namespace ctxmgr::jinja
