#pragma once
#include "ctxmgr/core/metadata.hpp"
#include "engine/build/archive.hpp"
#include "engine/build/remember.hpp"

namespace ctxmgr::engine {

/// What a receipt is made from. All of it outlives the call.
struct ReceiptInput {
  const FillInput& build;
  const Execution& execution;
  const Verified& verified;
  const ArchivedItems& archived;
  const PreviousBuild& remembered;  ///< What the next build will be told.
};

/// "3-80, 85": at most eight ranges, and how many there are besides.
[[nodiscard]] std::string ranges_of(const CompactionReport& compaction);

/// The second half of stage 8. Figures, a record for each artifact, and notes; all but the timings. Pure.
[[nodiscard]] ContextUtilizationMetadata make_receipt(const ReceiptInput& input);

}  // namespace ctxmgr::engine
