#pragma once
#include "view/run.hpp"
#include "view/writer.hpp"

/// \file
/// The parts of a page. Each says in words what it shows in colours.
namespace ctxpack::view {

void write_conversations(const Run& run, Writer& out);
/// What to do where there is no conversation yet.
void write_addresses(const Run& run, Writer& out);
void write_summary(const Run& run, Writer& out);
void write_window(const Step& step, Writer& out);
void write_steps(const Run& run, Writer& out);
void write_prices(const Run& run, Writer& out);
void write_artifacts(const Step& step, Writer& out);
void write_request_table(const Run& run, Writer& out);

}  // namespace ctxpack::view
