#include "prompts/jinja/ast.hpp"

namespace ctxmgr::jinja {

Program::~Program() = default;

Expression* Program::expression(ExpressionKind kind, std::uint32_t offset) {
  expressions_.push_back(std::make_unique<Expression>());
  expressions_.back()->kind = kind;
  expressions_.back()->offset = offset;
  return expressions_.back().get();
}

Statement* Program::statement(StatementKind kind, std::uint32_t offset) {
  statements_.push_back(std::make_unique<Statement>());
  statements_.back()->kind = kind;
  statements_.back()->offset = offset;
  return statements_.back().get();
}

Value Program::constant(std::string_view text) {
  strings_.push_back(std::make_unique<StringObject>(std::string(text)));
  StringObject& object = *strings_.back();
  (void)object.code_points();  // Computed now: afterwards other threads read it.
  return Value::of(&object);
}

}  // namespace ctxmgr::jinja
