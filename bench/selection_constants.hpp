#pragma once
#include <charconv>
#include <cstdio>
#include <string_view>

#include "engine/selection/selection_weights.hpp"

/// \file
/// The constants of the selection by their names, for measuring.
namespace bench {

struct Constant {
  std::string_view name;
  double ctxmgr::engine::SelectionWeights::*value;
};

#define CONSTANT(name) \
  { #name, &ctxmgr::engine::SelectionWeights::name }
constexpr Constant constants[] = {
    CONSTANT(k1),         CONSTANT(b),         CONSTANT(hint),    CONSTANT(hint_chat), CONSTANT(hint_before),
    CONSTANT(hint_decay), CONSTANT(nbr_range), CONSTANT(far),     CONSTANT(far_range), CONSTANT(link),
    CONSTANT(gamma),      CONSTANT(q0),        CONSTANT(rho),     CONSTANT(ident),     CONSTANT(ident_gamma),
    CONSTANT(repeated),   CONSTANT(least),     CONSTANT(passage), CONSTANT(assistant), CONSTANT(reports),
    CONSTANT(atom_nbr),
};
#undef CONSTANT

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "NAME=VALUE"; false where there is no such constant.
inline bool set_constant(std::string_view assignment, ctxmgr::engine::SelectionWeights& weights) {
  const std::size_t equals = assignment.find('=');
  for (const Constant& constant : constants) {
    if (equals == std::string_view::npos || constant.name != assignment.substr(0, equals)) continue;
    weights.*constant.value = number_of<double>(assignment.substr(equals + 1));
    return true;
  }
  std::fprintf(stderr, "no such constant: %.*s\n", static_cast<int>(assignment.size()), assignment.data());
  return false;
}

}  // namespace bench
