// opentelemetry-cpp: what ctxmgr does becomes events of the span that the host has opened, under OpenTelemetry's names for
// generative AI. Include opentelemetry/trace/tracer.h first. Pass it as ContextManagerOptions::observer.
#pragma once
#include <ctxmgr/ports/observer.hpp>
#include <map>
#include <memory>
#include <string>
#include <variant>

inline std::unique_ptr<ctxmgr::Observer> make_span_observer() {
  namespace otel = opentelemetry;
  static const std::map<std::string, std::string, std::less<>> conventions = {
      {"model", "gen_ai.request.model"},
      {"prompt_tokens", "gen_ai.usage.input_tokens"},
      {"completion_tokens", "gen_ai.usage.output_tokens"},
      {"error", "error.type"}};
  return ctxmgr::make_observer([](const ctxmgr::Event& event) {
    const bool is_call = event.kind == ctxmgr::EventKind::llm_call;
    std::map<std::string, otel::common::AttributeValue> attributes;
    const std::string scope(event.scope);
    if (!scope.empty()) attributes["gen_ai.conversation.id"] = otel::nostd::string_view(scope.data(), scope.size());
    for (const ctxmgr::EventField& field : event.fields) {
      const auto known = is_call ? conventions.find(field.name) : conventions.end();
      const auto name = known != conventions.end() ? known->second : "ctxmgr." + std::string(field.name);
      if (const auto* number = std::get_if<std::int64_t>(&field.value))
        attributes[name] = *number;
      else if (const auto* real = std::get_if<double>(&field.value))
        attributes[name] = *real;
      else if (const auto text = std::get<std::string_view>(field.value); !text.empty() || name != "error.type")
        attributes[name] = otel::nostd::string_view(text.data(), text.size());
    }
    const std::string name =
        is_call ? "gen_ai.client.inference.operation.details" : "ctxmgr." + std::string(ctxmgr::to_string(event.kind));
    otel::trace::Tracer::GetCurrentSpan()->AddEvent(name, attributes);
  });
}
