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
                                                     {PlannerMode::deterministic, "deterministic"},
                                                     {PlannerMode::none, "none"}};
};

template <>
struct EnumNames<OversizedMessage> {
  static constexpr EnumName<OversizedMessage> values[] = {{OversizedMessage::fail, "fail"},
                                                          {OversizedMessage::shrink, "shrink"}};
};

template <>
struct EnumNames<OversizedPins> {
  static constexpr EnumName<OversizedPins> values[] = {{OversizedPins::fail, "fail"},
                                                       {OversizedPins::release, "release"}};
};

}  // namespace ctxmgr
