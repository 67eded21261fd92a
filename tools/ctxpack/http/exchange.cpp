#include "http/exchange.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "http/chunk_decoder.hpp"

namespace ctxpack::http {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t sent_piece_bytes = std::size_t{16} << 10;

struct Known {
  int status;
  const char* words;
};
constexpr std::array<Known, 12> known_words = {{{200, "OK"},
                                                {204, "No Content"},
                                                {400, "Bad Request"},
                                                {401, "Unauthorized"},
                                                {403, "Forbidden"},
                                                {404, "Not Found"},
                                                {408, "Request Timeout"},
                                                {413, "Content Too Large"},
                                                {431, "Request Header Fields Too Large"},
                                                {500, "Internal Server Error"},
                                                {502, "Bad Gateway"},
                                                {503, "Service Unavailable"}}};

const char* words_of(int status) {
  for (const auto& known : known_words) {
    if (known.status == status) return known.words;
  }
  return "Status";
}

enum class BodyFraming { none, length, chunked, until_close };

bool may_have_body(int status) {
  constexpr int no_content = 204;
  constexpr int not_modified = 304;
  return status >= 200 && status != no_content && status != not_modified;
}

std::string head_of(const Reply& reply, BodyFraming framing, bool keeps_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " " + words_of(reply.status) + "\r\n";
  for (const auto& [name, value] : reply.headers) {
    // Values come from services and clients, too.
    if (value.find_first_of("\r\n") == std::string::npos) head.append(name).append(": ").append(value).append("\r\n");
  }
  if (framing == BodyFraming::length) head += "content-length: " + std::to_string(reply.body.size()) + "\r\n";
  if (framing == BodyFraming::chunked) head += "transfer-encoding: chunked\r\n";
  head += keeps_alive ? "connection: keep-alive\r\n\r\n" : "connection: close\r\n\r\n";
  return head;
}

std::string chunk_of(const std::string& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (auto left = bytes.size(); left > 0; left /= 16) size.insert(size.begin(), digits[left % 16]);
  return size + "\r\n" + bytes + "\r\n";
}

class Exchange {
 public:
  Exchange(Connection& connection, std::string& bytes, const Limits& limits, const Handler& handler,
           BodyBuffers& buffers)
      : connection_(connection), bytes_(bytes), limits_(limits), handler_(handler), buffers_(buffers) {}

  Outcome run() {
    const auto end = end_of_head(bytes_);
    auto head = parse_head(std::string_view(bytes_).substr(0, end));
    bytes_.erase(0, end);
    if (!head) return give_up(400, head.error().message);
    request_.head = std::move(*head);
    const bool has_body = request_.head.framing != Framing::none;
    const bool is_head = request_.head.method == "HEAD";
    if (auto refused = handler_.refuse(request_.head)) {
      if (!has_body) return write(std::move(*refused), request_.head.keeps_alive, is_head);
      return leave_unread(std::move(*refused));
    }
    if (has_body) {
      if (const int status = read_body(); status != 0) return give_up(status, why(status));
    }
    const bool is_old = request_.head.is_http_1_0;
    const bool keeps_alive = request_.head.keeps_alive;
    request_.is_abandoned = [this] { return connection_.is_abandoned(); };
    auto reply = handler_.answer(request_);
    buffers_.give_back(std::exchange(request_.body, {}));  // An answer may go on for long.
    return write(std::move(reply), keeps_alive, is_head, is_old);
  }

 private:
  static const char* why(int status) {
    constexpr int too_large = 413;
    constexpr int timeout = 408;
    if (status == too_large) return "the request's body is too large";
    return status == timeout ? "the request's body did not come in time"
                             : "the request's body is not chunked as it says";
  }

  Outcome give_up(int status, const std::string& message) {
    return leave_unread(handler_.fail(request_.head, status, message));
  }

  /// Whatever else the client sends is not taken for a request.
  Outcome leave_unread(Reply reply) {
    bytes_.clear();
    static_cast<void>(write(std::move(reply), false));
    return Outcome::discard;
  }

  /// 0, or the status that says why not.
  int read_body() {
    constexpr int too_large = 413;
    const auto& head = request_.head;
    if (head.framing == Framing::length && head.body_bytes > limits_.body_bytes) return too_large;
    if (head.expects_continue && bytes_.empty() &&
        !connection_.write("HTTP/1.1 100 Continue\r\n\r\n", limits_.write_patience))
      return 400;
    return head.framing == Framing::length ? read_length() : read_chunks();
  }

  /// Appends what comes; 0 or a status.
  int read_more(std::string& to, std::size_t most) {
    constexpr int timeout = 408;
    while (true) {
      const auto read = connection_.read(to, most);
      if (read == Connection::Read::some) return 0;
      if (read == Connection::Read::closed) return 400;
      const auto until = std::min(steady_clock::now() + limits_.body_pause, body_until_);
      if (!connection_.wait_for_bytes(until) || steady_clock::now() > body_until_) return timeout;
    }
  }

  int read_length() {
    const auto size = request_.head.body_bytes;
    request_.body = buffers_.take(size);
    const auto here = std::min(size, bytes_.size());
    request_.body.append(bytes_, 0, here);
    bytes_.erase(0, here);
    while (request_.body.size() < size) {
      if (const int status = read_more(request_.body, size - request_.body.size()); status != 0) return status;
    }
    return 0;
  }

  int read_chunks() {
    ChunkDecoder decoder(limits_.body_bytes);
    while (true) {
      std::string_view left = bytes_;
      const auto state = decoder.take(left, request_.body);
      bytes_.erase(0, bytes_.size() - left.size());
      if (state == ChunkDecoder::State::done) return 0;
      if (state == ChunkDecoder::State::too_large) return 413;
      if (state == ChunkDecoder::State::malformed) return 400;
      if (const int status = read_more(bytes_, sent_piece_bytes); status != 0) return status;
    }
  }

  Outcome write(Reply reply, bool keeps_alive, bool is_head = false, bool is_old = false) {
    const bool has_body = may_have_body(reply.status);
    const bool streams = reply.source && has_body && !is_head;
    auto framing = has_body ? BodyFraming::length : BodyFraming::none;
    if (reply.source && has_body) framing = is_old ? BodyFraming::until_close : BodyFraming::chunked;
    const bool keeps = keeps_alive && framing != BodyFraming::until_close;
    auto bytes = head_of(reply, framing, keeps);
    if (framing == BodyFraming::length && !is_head) bytes += reply.body;
    if (!connection_.write(bytes, limits_.write_patience)) return Outcome::close;
    if (reply.source && !streams) return drain(reply, keeps);
    if (streams && !write_pieces(reply, framing == BodyFraming::chunked)) return Outcome::close;
    return keeps ? Outcome::keep : Outcome::close;
  }

  /// An answer without a body still has an end that somebody waits for.
  static Outcome drain(Reply& reply, bool keeps) {
    while (true) {
      const auto piece = reply.source();
      if (!piece || !*piece) return keeps ? Outcome::keep : Outcome::close;
    }
  }

  bool write_pieces(Reply& reply, bool is_chunked) {
    while (true) {
      const auto piece = reply.source();
      if (!piece) return false;
      if (!*piece) return !is_chunked || connection_.write("0\r\n\r\n", limits_.write_patience);
      if ((*piece)->empty()) continue;
      if (!connection_.write(is_chunked ? chunk_of(**piece) : **piece, limits_.write_patience)) return false;
    }
  }

  Connection& connection_;
  std::string& bytes_;
  const Limits& limits_;
  const Handler& handler_;
  BodyBuffers& buffers_;
  const TimePoint body_until_ = steady_clock::now() + limits_.body_time;
  Request request_;
};

}  // namespace

Outcome exchange(Connection& connection, std::string& bytes, const Limits& limits, const Handler& handler,
                 BodyBuffers& buffers) {
  try {
    return Exchange(connection, bytes, limits, handler, buffers).run();
  } catch (const std::exception&) {  // No memory; the answer may have begun.
    return Outcome::close;
  }
}

std::string last_words(const Reply& reply) { return head_of(reply, BodyFraming::length, false) + reply.body; }

}  // namespace ctxpack::http
