#pragma once
#include <optional>
#include <string_view>
#include <utility>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/plan.hpp"
#include "ctxmgr/core/reasoning.hpp"

/// The names under which enums are written to JSON, logs and stores. Frozen: names are added, never changed.
namespace ctxmgr {

/// Specialised for each enum as a table of its values and names.
template <class Enum>
struct EnumNames;

template <class Enum>
[[nodiscard]] constexpr std::string_view enum_name(Enum value) {
  for (const auto& [candidate, name] : EnumNames<Enum>::values) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> parse_enum(std::string_view name) {
  for (const auto& [value, candidate] : EnumNames<Enum>::values) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

template <class Enum>
using EnumName = std::pair<Enum, std::string_view>;

template <>
struct EnumNames<Role> {
  static constexpr EnumName<Role> values[] = {{Role::system, "system"},
                                              {Role::developer, "developer"},
                                              {Role::user, "user"},
                                              {Role::assistant, "assistant"},
                                              {Role::tool, "tool"}};
};

template <>
struct EnumNames<Retention> {
  static constexpr EnumName<Retention> values[] = {
      {Retention::normal, "normal"}, {Retention::pinned, "pinned"}, {Retention::summarizable, "summarizable"}};
};

template <>
struct EnumNames<ArtifactType> {
  static constexpr EnumName<ArtifactType> values[] = {{ArtifactType::tool_result, "tool_result"},
                                                      {ArtifactType::document, "document"},
                                                      {ArtifactType::conversation, "conversation"}};
};

template <>
struct EnumNames<ContentFormat> {
  static constexpr EnumName<ContentFormat> values[] = {
      {ContentFormat::automatic, "automatic"}, {ContentFormat::text, "text"},  {ContentFormat::markdown, "markdown"},
      {ContentFormat::json, "json"},           {ContentFormat::code, "code"},  {ContentFormat::log, "log"},
      {ContentFormat::diff, "diff"},           {ContentFormat::table, "table"}};
};

template <>
struct EnumNames<Trust> {
  static constexpr EnumName<Trust> values[] = {{Trust::untrusted, "untrusted"}, {Trust::trusted, "trusted"}};
};

template <>
struct EnumNames<ProcessingStrategy> {
  static constexpr EnumName<ProcessingStrategy> values[] = {{ProcessingStrategy::include_full, "include_full"},
                                                            {ProcessingStrategy::summarize, "summarize"},
                                                            {ProcessingStrategy::rag_extract, "rag_extract"},
                                                            {ProcessingStrategy::exclude, "exclude"}};
};

template <>
struct EnumNames<ContextUtilization> {
  static constexpr EnumName<ContextUtilization> values[] = {
      {ContextUtilization::low, "low"}, {ContextUtilization::medium, "medium"}, {ContextUtilization::full, "full"}};
};

template <>
struct EnumNames<ContextGoal> {
  static constexpr EnumName<ContextGoal> values[] = {{ContextGoal::planning, "planning"},
                                                     {ContextGoal::synthesis, "synthesis"}};
};

template <>
struct EnumNames<PlanSource> {
  static constexpr EnumName<PlanSource> values[] = {{PlanSource::none, "none"},
                                                    {PlanSource::deterministic, "deterministic"},
                                                    {PlanSource::llm, "llm"},
                                                    {PlanSource::kept, "kept"},
                                                    {PlanSource::given, "given"}};
};

template <>
struct EnumNames<ReasoningEventType> {
  static constexpr EnumName<ReasoningEventType> values[] = {
      {ReasoningEventType::iteration_start, "iteration_start"},
      {ReasoningEventType::planning, "planning"},
      {ReasoningEventType::tool_execution_start, "tool_execution_start"},
      {ReasoningEventType::tool_result, "tool_result"},
      {ReasoningEventType::iteration_complete, "iteration_complete"},
      {ReasoningEventType::reasoning_complete, "reasoning_complete"},
      {ReasoningEventType::external_reasoning, "external_reasoning"},
      {ReasoningEventType::error, "error"},
      {ReasoningEventType::unknown, "unknown"}};
};

}  // namespace ctxmgr
