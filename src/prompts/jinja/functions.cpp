#include "prompts/jinja/functions.hpp"

#include <algorithm>

#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/failure.hpp"

namespace ctxmgr::jinja {
namespace {

// Names that jinja2 and Python's values have, separated by spaces; none is of use in a prompt.

constexpr std::string_view unsupported_filters =
    "attr batch center filesizeformat format groupby pprint random slice striptags urlencode urlize wordcount wordwrap "
    "xmlattr";
constexpr std::string_view unsupported_tests = "callable escaped filter lower sameas test upper";

std::string_view unsupported_attributes(Tag type) {
  switch (type) {
    case Tag::boolean:
    case Tag::integer:
    case Tag::floating:
      return "real imag numerator denominator bit_length to_bytes from_bytes conjugate as_integer_ratio bit_count "
             "is_integer "
             "hex fromhex";
    case Tag::string:
      return "casefold center count encode expandtabs find format format_map index isalnum isalpha isascii isdecimal "
             "isdigit "
             "isidentifier islower isnumeric isprintable isspace istitle isupper join ljust maketrans partition "
             "removeprefix "
             "removesuffix rfind rindex rjust rpartition rsplit splitlines swapcase translate zfill";
    case Tag::list: return "clear copy count extend index insert pop remove reverse sort";
    case Tag::tuple: return "count index";
    case Tag::dict: return "clear copy fromkeys pop popitem setdefault";
    case Tag::view: return "mapping isdisjoint";
    case Tag::range: return "start stop step count index";
    case Tag::iterator: return "gi_frame gi_code gi_running gi_yieldfrom gi_suspended send throw close";
    case Tag::loop: return "changed";
    default: return {};
  }
}

const FunctionSpec* find_in(FunctionTable table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [name](const auto& spec) { return spec.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string word_of(FunctionKind kind) { return kind == FunctionKind::filter ? "filter" : "test"; }

void check_supported(FunctionKind kind, std::string_view name, std::uint32_t offset) {
  if (!has_name(kind == FunctionKind::filter ? unsupported_filters : unsupported_tests, name)) return;
  refuse("the " + word_of(kind) + " '" + std::string(name) + "' is not supported", offset);
}

}  // namespace

const FunctionSpec* find_function(FunctionKind kind, std::string_view name) {
  if (kind == FunctionKind::test) return find_in(tests(), name);
  for (const FunctionTable table :
       {text_filters(), sequence_filters(), selection_filters(), number_filters(), markup_filters()}) {
    if (const FunctionSpec* found = find_in(table, name)) return found;
  }
  return nullptr;
}

const FunctionSpec* find_global(std::string_view name) { return find_in(globals(), name); }

const FunctionSpec* find_method(const Value& value, std::string_view name) {
  const FunctionSpec* found = nullptr;
  switch (value.tag()) {
    case Tag::string:
      found = find_in(text_methods(), name);
      if (found != nullptr && value.string().markup) refuse("methods of an escaped text are not supported");
      return found;
    case Tag::list: return find_in(list_methods(), name);
    case Tag::dict: return find_in(dict_methods(), name);
    case Tag::loop: return find_in(loop_methods(), name);
    default: return found;
  }
}

const FunctionSpec& need_function(FunctionKind kind, std::string_view name) {
  const FunctionSpec* found = find_function(kind, name);
  if (found == nullptr) check_supported(kind, name, no_position);
  if (found == nullptr) refuse("no such " + word_of(kind));
  return *found;
}

void check_function(const Expression& expression) {
  if (expression.function != nullptr) return;
  const std::string& name = expression.constant.text();
  const FunctionKind kind = expression.kind == ExpressionKind::filter ? FunctionKind::filter : FunctionKind::test;
  check_supported(kind, name, expression.offset);
  refuse("no " + word_of(kind) + " named '" + name + "'", expression.offset);
}

bool is_unsupported_attribute(const Value& value, std::string_view name) {
  return value.is(Tag::function) || value.is(Tag::macro) || has_name(unsupported_attributes(value.tag()), name);
}

}  // namespace ctxmgr::jinja
