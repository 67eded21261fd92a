#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/format.hpp"
#include "prompts/jinja/loop.hpp"
#include "prompts/jinja/operators.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr::jinja {

Value Renderer::evaluate(const Expression& expression) {
  check_stack();
  heap_.step();
  switch (expression.kind) {
    case ExpressionKind::constant: return expression.constant;
    case ExpressionKind::name: return evaluate_name(expression);
    case ExpressionKind::tuple:
    case ExpressionKind::list:
    case ExpressionKind::dict: return evaluate_elements(expression);
    case ExpressionKind::conditional: return evaluate_conditional(expression);
    case ExpressionKind::binary: return evaluate_binary(expression);
    case ExpressionKind::logical_and: {
      Value left = evaluate(*expression.operand);
      return is_true(left) ? evaluate(*expression.second) : left;
    }
    case ExpressionKind::logical_or: {
      Value left = evaluate(*expression.operand);
      return is_true(left) ? left : evaluate(*expression.second);
    }
    case ExpressionKind::logical_not: return Value::boolean(!is_true(evaluate(*expression.operand)));
    case ExpressionKind::negate:
    case ExpressionKind::posit: {
      const Value operand = evaluate(*expression.operand);
      offset_ = expression.offset;
      return expression.kind == ExpressionKind::negate ? negate(operand) : posit(operand);
    }
    case ExpressionKind::comparison: return evaluate_comparison(expression);
    case ExpressionKind::concat: return evaluate_concat(expression);
    case ExpressionKind::attribute: return evaluate_attribute(expression);
    case ExpressionKind::item: {
      const Value object = evaluate(*expression.operand);
      const Value key = evaluate(*expression.second);
      offset_ = expression.offset;
      return item(object, key);
    }
    case ExpressionKind::slice: return evaluate_slice(expression);
    case ExpressionKind::call: return evaluate_call(expression);
    case ExpressionKind::filter:
    case ExpressionKind::test: return evaluate_filter(expression);
    case ExpressionKind::namespace_attribute: break;
  }
  refuse("this cannot be evaluated", expression.offset);
}

Value Renderer::evaluate_name(const Expression& expression) {
  const Value& value = slot(expression.address);
  offset_ = expression.offset;
  return value.is(Tag::missing) ? Value::undefined(settings_.strict, &expression.constant.string()) : value;
}

Value Renderer::evaluate_elements(const Expression& expression) {
  if (expression.kind == ExpressionKind::dict) {
    Value dict = make_dict(heap_);
    for (std::size_t i = 0; i + 1 < expression.items.size(); i += 2) {
      const Value key = evaluate(*expression.items[i]);
      Value value = evaluate(*expression.items[i + 1]);
      offset_ = expression.offset;
      dict.dict().set(key, value);
    }
    return dict;
  }
  std::vector<Value> items;
  items.reserve(expression.items.size());
  for (const Expression* element : expression.items) items.push_back(evaluate(*element));
  return make_sequence(heap_, expression.kind == ExpressionKind::list ? Tag::list : Tag::tuple, std::move(items));
}

Value Renderer::evaluate_conditional(const Expression& expression) {
  if (is_true(evaluate(*expression.operand))) return evaluate(*expression.second);
  // Without an else the result is undefined, and never a strict one.
  return expression.third != nullptr ? evaluate(*expression.third) : Value::undefined(false);
}

Value Renderer::evaluate_binary(const Expression& expression) {
  const Value left = evaluate(*expression.operand);
  const Value right = evaluate(*expression.second);
  offset_ = expression.offset;
  return calculate(heap_, expression.operation, left, right);
}

Value Renderer::evaluate_comparison(const Expression& expression) {
  Value left = evaluate(*expression.operand);
  for (std::size_t i = 0; i < expression.items.size(); ++i) {
    Value right = evaluate(*expression.items[i]);
    offset_ = expression.offset;
    if (!compare(heap_, expression.operations[i], left, right)) return Value::boolean(false);
    left = right;
  }
  return Value::boolean(true);
}

Value Renderer::evaluate_concat(const Expression& expression) {
  std::string result;
  for (const Expression* part : expression.items) {
    const Value value = evaluate(*part);
    offset_ = expression.offset;
    append_str(heap_, value, result);
    heap_.check_room(result.size());
  }
  return text(std::move(result));
}

Value Renderer::evaluate_attribute(const Expression& expression) {
  const Value object = evaluate(*expression.operand);
  offset_ = expression.offset;
  return attribute(object, expression.constant.string());
}

Value Renderer::evaluate_slice(const Expression& expression) {
  const Value object = evaluate(*expression.operand);
  Value bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    bounds[i] = expression.items[i] != nullptr ? evaluate(*expression.items[i]) : Value::none();
  }
  offset_ = expression.offset;
  return slice(heap_, object, bounds[0], bounds[1], bounds[2]);
}

void Renderer::evaluate_arguments(const Expression& expression, Arguments& arguments) {
  for (const Expression* argument : expression.items) arguments.positional.push_back(evaluate(*argument));
  for (const Keyword& keyword : expression.keywords) {
    arguments.keywords.emplace_back(keyword.name, evaluate(*keyword.value));
  }
}

Value Renderer::evaluate_call(const Expression& expression) {
  const Expression& callee = *expression.operand;
  const FunctionSpec* method = nullptr;
  Value target;
  Arguments arguments;
  if (callee.kind == ExpressionKind::attribute) {
    target = evaluate(*callee.operand);
    offset_ = callee.offset;
    method = find_method(target, callee.constant.text());
    if (method != nullptr) {
      arguments.positional.push_back(target);
    } else {
      target = attribute(target, callee.constant.string());
    }
  } else {
    target = evaluate(callee);
  }
  evaluate_arguments(expression, arguments);
  offset_ = expression.offset;
  return method != nullptr ? apply(*method, arguments) : call(target, arguments);
}

/// A filter or a test; the innermost filter of a block has no operand.
Value Renderer::evaluate_filter(const Expression& expression) {
  Arguments arguments;
  arguments.positional.push_back(expression.operand != nullptr ? evaluate(*expression.operand) : captured_);
  evaluate_arguments(expression, arguments);
  offset_ = expression.offset;
  check_function(expression);
  return apply(*expression.function, arguments);
}

}  // namespace ctxmgr::jinja
