#pragma once

/// \file
/// Where trusted text of at least equal relevance wants the room: the share of it that one untrusted artifact, and all of
/// them together, may take. In a selection as in a plan.
namespace ctxmgr {

inline constexpr double untrusted_one_share = 0.25;
inline constexpr double untrusted_share = 0.60;

}  // namespace ctxmgr
