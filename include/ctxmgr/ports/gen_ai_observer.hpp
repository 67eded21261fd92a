#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/clock.hpp"
#include "ctxmgr/ports/observer.hpp"

namespace ctxmgr {

/// An observer that writes each event as one line of JSON, under the names of OpenTelemetry's semantic conventions for
/// generative AI. Model calls are "gen_ai.client.inference.operation.details" with `gen_ai.request.model`,
/// `gen_ai.usage.input_tokens`, `gen_ai.usage.output_tokens` and `error.type`. The scope is `gen_ai.conversation.id`. What has no
/// name there is "ctxmgr.build_step" and so on, with its fields as `ctxmgr.elapsed_us`.
///
///     {"time_unix_nano":"…","name":"ctxmgr.build_step","attributes":{"ctxmgr.step":"plan","ctxmgr.elapsed_us":812}}
///
/// `write` gets a line with its end, from one thread at a time; its exceptions are dropped. Null clock: the machine's.
[[nodiscard]] CTXMGR_API std::unique_ptr<Observer> make_gen_ai_observer(
    std::function<void(std::string_view line)> write, std::shared_ptr<Clock> clock = {});

}  // namespace ctxmgr
