#pragma once
#include <string>
#include <string_view>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/metadata.hpp"

/// \file
/// The codes of a receipt in words for people. `explain()` uses them, and so do `ctxpack` and its pages.
namespace ctxmgr {

/// The reason of a plan or of a gate: "near_or_over_limit (no client)" is "not everything fits easily, and there is no
/// model to ask". What is in words already stays.
[[nodiscard]] CTXMGR_API std::string plan_reason_in_words(std::string_view reason);

/// The form in which an artifact was sent: "whole", "extract", "summary", "one line" or "not sent".
[[nodiscard]] CTXMGR_API std::string_view form_in_words(const ArtifactUsageRecord& record);

}  // namespace ctxmgr
