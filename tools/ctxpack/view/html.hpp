#pragma once
#include <string>
#include <string_view>

#include "view/run.hpp"

/// \file
/// A report as one HTML file: no foreign scripts, no network, nothing that runs but, on a live page, `live_script()`.
namespace ctxpack::view {

[[nodiscard]] std::string to_html(const Run& run);

/// What changes of it, for a page that asks for news.
[[nodiscard]] std::string main_part(const Run& run);

/// Asks for news every two seconds, and keeps what is open, chosen and scrolled to.
[[nodiscard]] std::string_view live_script();

/// What a browser is told to load and run: for the header of a page that is served.
[[nodiscard]] const char* content_security_policy();

}  // namespace ctxpack::view
