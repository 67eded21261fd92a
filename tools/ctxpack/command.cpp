#include "command.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "option_names.hpp"

namespace ctxpack {
namespace {

int exit_code_of(ctxmgr::ErrorCode code) {
  using ctxmgr::ErrorCode;
  switch (code) {
    case ErrorCode::not_found: return absent;
    case ErrorCode::invalid_argument:
    case ErrorCode::bad_data:
    case ErrorCode::limit_exceeded:
    case ErrorCode::conflict: return bad_input;
    case ErrorCode::budget_exceeded: return does_not_fit;
    case ErrorCode::cancelled:
    case ErrorCode::deadline_exceeded:
    case ErrorCode::denied:
    case ErrorCode::unavailable:
    case ErrorCode::context_length_exceeded: return service_failed;
    case ErrorCode::internal: return internal;
  }
  return internal;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  return line;
}

std::string printable_id(std::string_view id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '\\') {
      line += c;
    } else {
      line += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    }
  }
  return line;
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Progress::Progress() : watched_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (watched_) std::cerr << "\r\033[K" << std::flush;
}

void Progress::show(std::string_view done) {
  if (watched_) std::cerr << "\r\033[K" << done << std::flush;
}

int report(const ctxmgr::Error& error, std::string_view where) {
  std::cerr << "ctxpack: " << (where.empty() ? "" : printable(where) + ": ") << printable(in_options(error.message))
            << '\n';
  return exit_code_of(error.code);
}

int finish(const ctxmgr::Result<void>& done) { return done ? success : report(done.error()); }

ctxmgr::Error unreadable(const std::string& path) {
  std::error_code problem;
  const auto kind = std::filesystem::status(path, problem).type();
  const char* const why = kind == std::filesystem::file_type::not_found   ? ": there is no such file"
                          : kind == std::filesystem::file_type::directory ? ": it is a folder"
                                                                          : "";
  return {ctxmgr::ErrorCode::invalid_argument, path + ": cannot be read" + why, {}};
}

ctxmgr::Result<std::string> read_input(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream file(path, std::ios::binary);
  // A directory opens, and fails at the first byte: the stream notes that, its iterators would throw.
  if (file.is_open()) (void)file.peek();
  if (!file.is_open() || file.bad()) return tl::unexpected(unreadable(path));
  file.clear();
  return std::string(std::istreambuf_iterator<char>(file), {});
}

ctxmgr::Result<void> write_output(const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    std::cout << text << std::flush;
    if (!std::cout) return ctxmgr::fail(ctxmgr::ErrorCode::limit_exceeded, "standard output cannot be written");
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) return ctxmgr::fail(ctxmgr::ErrorCode::invalid_argument, path + ": cannot be written");
  return {};
}

}  // namespace ctxpack
