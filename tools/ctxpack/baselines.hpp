#pragma once
#include <cstdint>

#include "account.hpp"

/// \file
/// Plain policies to compare with.
namespace ctxpack {

/// Sends everything.
[[nodiscard]] Figures account_for_everything(const RecordedRun& run, MessagePool& pool, const Scale& scale);

/// What stands in place of what was cut.
struct TailOptions {
  double names_share = 0;         ///< Of the budget: a line of the names in it.
  std::int64_t block_tokens = 0;  ///< For each question spliced in: passages of it by BM25, before the question.
};

/// Drops the oldest messages down to half of the budget when it is full. System messages, the first and the last user
/// message and the newest group stay; calls stay with their results. Single results are cut to 0.4 of the budget.
[[nodiscard]] Figures account_for_tail(const RecordedRun& run, MessagePool& pool, const Scale& scale,
                                       const TailOptions& options);

}  // namespace ctxpack
