#pragma once
#include <string>

#include "serve/ledger.hpp"
#include "serve/preparing.hpp"

namespace ctxpack::serve {

/// Prometheus' text format, version 0.0.4.
[[nodiscard]] std::string prometheus_text(const Totals& totals, const PreparingTotals& preparing = {});

}  // namespace ctxpack::serve
