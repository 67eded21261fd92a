#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "ctxmgr/core/error.hpp"
#include "ctxmgr/ports/llm_client.hpp"

/// \file
/// The lines of a cassette: {"v":1,"request":{…},"response":{…}}, or "error" in place of "response". Frozen: what a
/// version has written, later ones read.
namespace ctxmgr {

/// The request as JSON text, equal for equal requests.
[[nodiscard]] std::string cassette_key(const LlmRequest& request);

[[nodiscard]] std::string write_cassette_line(const LlmRequest& request, const Result<LlmResponse>& result);

struct CassetteLine {
  std::string key{};  ///< As `cassette_key` gives it.
  Result<LlmResponse> result{};
};

/// `invalid_argument` says what is wrong.
[[nodiscard]] Result<CassetteLine> read_cassette_line(std::string_view line);

}  // namespace ctxmgr
