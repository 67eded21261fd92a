#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/lexer.hpp"

namespace ctxmgr::jinja {

enum class LoopControls { off, on };

/// Recursive descent over tokens; the grammar is jinja2's. Nesting is limited, so that any thread's stack suffices.
class Parser {
 public:
  Parser(Program& program, std::vector<Token> tokens, LoopControls controls, std::size_t max_depth)
      : program_(program), tokens_(std::move(tokens)), controls_(controls), max_depth_(max_depth) {}

  void parse();

 private:
  class Nested;
  enum class TupleMode { full, no_conditional, primaries, parenthesized };
  using Names = std::initializer_list<std::string_view>;

  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& look() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& advance();
  [[nodiscard]] bool at_symbol(std::string_view symbol) const;
  [[nodiscard]] bool at_name(std::string_view name) const;
  [[nodiscard]] static bool is_name(const Token& token, std::string_view name);
  bool skip_symbol(std::string_view symbol);
  bool skip_name(std::string_view name);
  void expect_symbol(std::string_view symbol);
  void expect_name(std::string_view name);
  void expect_block_end();
  const Token& expect_identifier();
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_unexpected() const;

  std::vector<Statement*> parse_body(Names ends);
  std::vector<Statement*> parse_statements(Names ends);
  std::vector<Statement*> parse_block(std::string_view end);
  /// Up to a closing symbol, with commas between; behind the last one, too, where that is allowed.
  template <class ParseItem>
  void parse_items(std::string_view close, bool trailing_comma, const ParseItem& parse_item) {
    for (bool first = true; !at_symbol(close); first = false) {
      if (!first) expect_symbol(",");
      if (trailing_comma && at_symbol(close)) break;
      parse_item();
    }
    expect_symbol(close);
  }
  void parse_output(std::vector<Statement*>& body);
  Statement* parse_statement();
  Statement* parse_simple_statement(const std::string& tag);
  Statement* parse_if();
  Statement* parse_for();
  Statement* parse_set();
  Statement* parse_with(bool has_targets);
  Statement* parse_macro();
  Statement* parse_filter_block();
  void parse_signature(Signature& signature);
  Expression* parse_target(bool with_namespace, Names ends = {});
  Expression* parse_name_target();
  void check_target(const Expression& target) const;
  Expression* copy_target(const Expression& target);

  Expression* parse_expression();
  Expression* parse_tuple(TupleMode mode, Names ends = {});
  [[nodiscard]] bool at_tuple_end(Names ends) const;
  Expression* parse_tuple_item(TupleMode mode);
  Expression* parse_or() { return parse_logical(ExpressionKind::logical_or, "or"); }
  Expression* parse_logical(ExpressionKind kind, std::string_view word);
  Expression* parse_not();
  Expression* parse_comparison();
  Operator take_comparison();
  Expression* parse_arithmetic(int level);
  Operator arithmetic_operator(int level) const;
  Expression* parse_concat();
  Expression* parse_unary(bool with_filter = true);
  Expression* parse_primary();
  Expression* parse_number();
  Expression* parse_strings();
  Expression* parse_collection(ExpressionKind kind);
  Expression* parse_postfix(Expression* node);
  Expression* parse_filter_chain(Expression* node);
  Expression* parse_subscript(Expression* node);
  Expression* parse_bracket(Expression* node, std::uint32_t offset);
  Expression* parse_subscribed();
  Expression* parse_call(Expression* node);
  void parse_arguments(Expression& call);
  void parse_argument(Expression& call);
  Expression* parse_filter(Expression* node, bool start_inline);
  Expression* parse_test(Expression* node);
  void parse_test_argument(Expression& test);
  std::string parse_dotted_name();
  Expression* constant(Value value, std::uint32_t offset);
  Expression* node(ExpressionKind kind, std::uint32_t offset, Expression* operand = nullptr,
                   Expression* second = nullptr, Expression* third = nullptr);
  Expression* finish(Expression* expression);

  Program& program_;
  std::vector<Token> tokens_;
  LoopControls controls_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t loop_depth_ = 0;       ///< Of loops around in the same macro.
  std::vector<Statement*> loops_{};  ///< Around, in whichever macro.
};

/// Counts a level of nesting for as long as it lives.
class Parser::Nested {
 public:
  explicit Nested(Parser& parser);
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  ~Nested() { --parser_.depth_; }

 private:
  Parser& parser_;
};

}  // namespace ctxmgr::jinja
