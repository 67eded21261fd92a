#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "prompts/jinja/operators.hpp"

/// \file
/// A parsed template. Nodes belong to their Program and are immutable once it is made.
namespace ctxmgr::jinja {

struct FunctionSpec;

enum class ExpressionKind : std::uint8_t {
  constant,
  name,
  namespace_attribute,
  tuple,
  list,
  dict,
  conditional,
  binary,
  logical_and,
  logical_or,
  logical_not,
  negate,
  posit,
  comparison,
  concat,
  attribute,
  item,
  slice,
  call,
  filter,
  test,
};

/// Where a variable lives: `hops` frames outwards, in a slot.
struct Address {
  std::uint16_t hops = 0;
  std::uint16_t slot = 0;
};

struct Expression;

struct Keyword {
  Value name;
  Expression* value = nullptr;
};

struct Expression {
  ExpressionKind kind = ExpressionKind::constant;
  Operator operation = Operator::none;  ///< Of a binary node.
  std::uint16_t depth = 1;
  std::uint32_t offset = 0;
  Address address{};                   ///< Of a name.
  Value constant;                      ///< A constant; the name of a name, an attribute, a filter or a test.
  Expression* operand = nullptr;       ///< What an operator, a filter, a call or a subscript applies to.
  Expression* second = nullptr;        ///< Right operand, subscript, or a conditional's value.
  Expression* third = nullptr;         ///< A conditional's alternative; may be null.
  std::vector<Expression*> items{};    ///< Elements, arguments, or key and value in turn; a slice's may be null.
  std::vector<Operator> operations{};  ///< Of a comparison, one for each item.
  std::vector<Keyword> keywords{};
  const FunctionSpec* function = nullptr;  ///< Null where the name is unknown and that may stay unnoticed.
};

/// Every expression right below one, but slices' bounds that are not there.
template <class Visit>
void for_each_child(const Expression& expression, const Visit& visit) {
  for (Expression* child : {expression.operand, expression.second, expression.third}) {
    if (child != nullptr) visit(*child);
  }
  for (Expression* child : expression.items) {
    if (child != nullptr) visit(*child);
  }
  for (const Keyword& keyword : expression.keywords) visit(*keyword.value);
}

enum class StatementKind : std::uint8_t {
  text,
  output,
  condition,
  loop,
  assignment,
  assignment_block,
  macro,
  filter_block,
  with,
  loop_break,
  loop_continue,
};

enum class LoadKind : std::uint8_t { parameter, resolve, alias, undefined };

/// What a scope does with a variable when it is entered.
struct Load {
  LoadKind kind = LoadKind::undefined;
  std::uint16_t slot = 0;
  Address from{};
  Value name;
};

struct Branch {
  Expression* condition = nullptr;  ///< Null: else.
  std::vector<struct Statement*> body{};
};

/// Parameters and slots of what runs in a frame of its own.
struct Signature {
  std::string names{};  ///< Of the parameters, separated by spaces.
  std::vector<Expression*> parameters{};
  std::vector<Expression*> defaults{};  ///< Of the last parameters.
  std::uint16_t slots = 0;
};

struct Statement {
  StatementKind kind = StatementKind::text;
  std::uint32_t offset = 0;
  std::string text{};
  Expression* target = nullptr;        ///< Of an assignment or a loop; a macro's name.
  Expression* value = nullptr;         ///< Assigned, iterated or filtered.
  std::vector<Expression*> outputs{};  ///< Of an output; the targets of a with block.
  std::vector<Expression*> values{};   ///< Of a with block.
  std::vector<Branch> branches{};      ///< Of a condition.
  std::vector<Statement*> body{};
  std::vector<Statement*> otherwise{};  ///< A loop's else.
  Expression* filter_target = nullptr;  ///< A loop's target again, bound for its filter.
  Expression* condition = nullptr;      ///< A loop's filter.
  bool uses_loop = false;               ///< Whether the body reads the variable `loop`.
  std::uint16_t loop_slot = 0;
  Signature signature{};
  std::vector<Load> loads{};  ///< On entering the body.
  std::vector<Load> otherwise_loads{};
  std::vector<Load> condition_loads{};
};

struct Program {
 private:
  std::vector<std::unique_ptr<StringObject>> strings_{};  // First: what refers to them is destroyed before them.

 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  Expression* expression(ExpressionKind kind, std::uint32_t offset);
  Statement* statement(StatementKind kind, std::uint32_t offset);
  /// A string that lives as long as the program does and is shared by all threads that render it.
  Value constant(std::string_view text);

  std::string source{};  ///< With its line ends normalised: offsets refer to it.
  std::vector<Statement*> body{};
  std::vector<Load> loads{};
  std::uint16_t slots = 0;
  std::set<std::string> looked_up{};  ///< Names that are read from the data.

 private:
  std::vector<std::unique_ptr<Expression>> expressions_{};
  std::vector<std::unique_ptr<Statement>> statements_{};
};

}  // namespace ctxmgr::jinja
