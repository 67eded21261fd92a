#pragma once
#include <cstdint>
#include <string>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::jinja {

inline constexpr std::uint32_t no_position = 0xFFFFFFFF;

/// How parsing and rendering stop early. Thrown inside the engine only: PromptTemplate turns it into an Error.
struct Failure {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message{};
  std::uint32_t offset = no_position;  ///< Into the source; unknown where a filter or an operator fails by itself.
};

[[noreturn]] inline void refuse(std::string message, std::uint32_t offset = no_position) {
  throw Failure{ErrorCode::invalid_argument, std::move(message), offset};
}

[[noreturn]] inline void exceed(std::string message, std::uint32_t offset = no_position) {
  throw Failure{ErrorCode::limit_exceeded, std::move(message), offset};
}

}  // namespace ctxmgr::jinja
