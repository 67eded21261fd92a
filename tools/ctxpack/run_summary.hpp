#pragma once
#include <string>
#include <vector>

#include "serve/ledger.hpp"

namespace ctxpack {

/// What the proxies of one run saved, left out and cost, in plain words. Sums of several, where a program used two.
[[nodiscard]] std::string summary_of(const std::vector<const serve::Ledger*>& ledgers);

}  // namespace ctxpack
