#include "http/request_head.hpp"

#include <algorithm>
#include <optional>

namespace ctxpack::http {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

constexpr std::string_view line_end = "\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What may stand in a method's or a header's name.
bool is_token_character(char c) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || others.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A percent sign that begins no pair of digits stays.
std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    const auto end = path.find_first_of("/\\");
    const auto segment = path.substr(0, end);
    // Some servers drop what follows a semicolon before they resolve the dots.
    const auto name = segment.substr(0, segment.find(';'));
    if (name == "." || name == "..") return true;
    if (end == std::string_view::npos) return false;
    path.remove_prefix(end + 1);
  }
  return false;
}

tl::unexpected<ctxmgr::Error> refused(const char* why) { return fail(ErrorCode::invalid_argument, why); }

Result<void> read_request_line(std::string_view line, RequestHead& head) {
  const auto first = line.find(' ');
  const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return refused("the request line is none");
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, second - first - 1);
  const auto version = line.substr(second + 1);
  head.is_http_1_0 = version == "HTTP/1.0";
  if (!is_token(head.method) || (!head.is_http_1_0 && version != "HTTP/1.1"))
    return refused("the request line is not one of HTTP/1.1");
  const bool is_clean =
      std::all_of(head.target.begin(), head.target.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (head.target.empty() || head.target.front() != '/' || !is_clean || head.target.find('#') != std::string::npos)
    return refused("the request's target is no path");
  const std::string_view path = std::string_view(head.target).substr(0, head.target.find('?'));
  if (!is_plain_path(path)) return refused("the request's path has dot segments or control characters");
  head.path = decoded(path);
  return {};
}

Result<void> read_headers(std::string_view lines, RequestHead& head) {
  while (!lines.empty()) {
    const auto end = lines.find(line_end);
    const auto line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + line_end.size());
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return refused("a header line is none");
    const auto value = trimmed(line.substr(colon + 1));
    if (std::any_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; }))
      return refused("a header's value holds control characters");
    head.headers.emplace_back(lower_case(line.substr(0, colon)), value);
  }
  return {};
}

/// The one value of that name; nothing where there is none. Two are an error.
Result<std::optional<std::string_view>> only(const RequestHead& head, std::string_view name) {
  std::optional<std::string_view> found;
  for (const auto& [candidate, value] : head.headers) {
    if (candidate != name) continue;
    if (found) return fail(ErrorCode::invalid_argument, std::string(name) + " stands there twice");
    found = value;
  }
  return found;
}

Result<void> read_framing(RequestHead& head) {
  const auto length = only(head, "content-length");
  if (!length) return tl::unexpected(length.error());
  const auto coding = only(head, "transfer-encoding");
  if (!coding) return tl::unexpected(coding.error());
  if (*coding) {
    if (*length) return refused("content-length stands beside transfer-encoding");
    if (head.is_http_1_0 || lower_case(**coding) != "chunked")
      return refused("transfer-encoding: only chunked is known");
    head.framing = Framing::chunked;
  } else if (*length) {
    constexpr std::size_t most_digits = 18;
    const auto digits = **length;
    if (digits.empty() || digits.size() > most_digits || !std::all_of(digits.begin(), digits.end(), is_digit))
      return refused("content-length is no number");
    for (const char c : digits) head.body_bytes = head.body_bytes * 10 + static_cast<std::size_t>(c - '0');
    head.framing = head.body_bytes > 0 ? Framing::length : Framing::none;
  }
  const bool takes_none = head.method == "GET" || head.method == "HEAD";
  if (takes_none && head.framing != Framing::none) return refused("a request of this method has no body");
  return {};
}

Result<void> read_connection(RequestHead& head) {
  const auto host = only(head, "host");
  if (!host) return tl::unexpected(host.error());
  if (!*host && !head.is_http_1_0) return refused("the header host is missing");
  const auto wish = lower_case(head.header("connection"));
  head.keeps_alive =
      head.is_http_1_0 ? wish.find("keep-alive") != std::string::npos : wish.find("close") == std::string::npos;
  const auto expected = lower_case(head.header("expect"));
  if (!expected.empty() && expected != "100-continue") return refused("expect: only 100-continue is known");
  head.expects_continue = !expected.empty() && !head.is_http_1_0;
  const auto coding = lower_case(head.header("content-encoding"));
  if (!coding.empty() && coding != "identity") return refused("content-encoding: only identity is known");
  return {};
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string_view RequestHead::header(std::string_view name) const {
  for (const auto& [candidate, value] : headers) {
    if (candidate == name) return value;
  }
  return {};
}

std::string RequestHead::parameter(std::string_view name) const {
  const auto mark = target.find('?');
  std::string_view query = mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    std::string value(pair.substr(equals + 1));
    std::replace(value.begin(), value.end(), '+', ' ');
    return decoded(value);
  }
  return {};
}

std::size_t end_of_head(std::string_view bytes) {
  constexpr std::string_view end = "\r\n\r\n";
  const auto found = bytes.find(end);
  return found == std::string_view::npos ? found : found + end.size();
}

Result<RequestHead> parse_head(std::string_view text) {
  const auto first_line = text.find(line_end);
  if (first_line == std::string_view::npos || end_of_head(text) != text.size())
    return refused("the request has no end");
  RequestHead head;
  if (auto read = read_request_line(text.substr(0, first_line), head); !read) return tl::unexpected(read.error());
  const auto lines = text.substr(first_line + line_end.size(), text.size() - first_line - 2 * line_end.size());
  if (auto read = read_headers(lines, head); !read) return tl::unexpected(read.error());
  if (auto read = read_framing(head); !read) return tl::unexpected(read.error());
  if (auto read = read_connection(head); !read) return tl::unexpected(read.error());
  return head;
}

bool is_plain_path(std::string_view path) {
  // Whoever stands behind may decode once more than we do.
  constexpr int most_times = 4;
  std::string text(path);
  for (int i = 0; i < most_times; ++i) {
    if (has_dot_segment(text) || std::any_of(text.begin(), text.end(), is_control)) return false;
    auto next = decoded(text);
    if (next == text) return true;
    text = std::move(next);
  }
  return false;
}

}  // namespace ctxpack::http
