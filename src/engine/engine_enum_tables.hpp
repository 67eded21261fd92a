#pragma once
#include "core/enum_names.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/selection.hpp"

namespace ctxmgr {

template <>
struct EnumNames<ArtifactView> {
  static constexpr EnumName<ArtifactView> values[] = {{ArtifactView::none, "none"},
                                                      {ArtifactView::extract, "extract"},
                                                      {ArtifactView::dense, "dense"},
                                                      {ArtifactView::full, "full"}};
};

template <>
struct EnumNames<PlannerMode> {
  static constexpr EnumName<PlannerMode> values[] = {{PlannerMode::automatic, "automatic"},
                                                     {PlannerMode::llm, "llm"},
                                                     {PlannerMode::llm_or_fail, "llm_or_fail"},
                                                     {PlannerMode::deterministic, "deterministic"},
                                                     {PlannerMode::none, "none"}};
};

template <>
struct EnumNames<Oversized> {
  static constexpr EnumName<Oversized> values[] = {
      {Oversized::fail, "fail"}, {Oversized::shrink, "shrink"}, {Oversized::shrink_and_release, "shrink_and_release"}};
};

}  // namespace ctxmgr
