#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "http/body_buffers.hpp"
#include "http/connection.hpp"
#include "http/request_head.hpp"

/// \file
/// One request and its answer on a connection.
namespace ctxpack::http {

struct Limits {
  std::size_t workers = 256;        ///< Requests that are answered at once; further ones wait.
  std::size_t connections = 1'024;  ///< Open at once, waiting ones too.
  std::size_t connections_per_address = 64;
  std::size_t head_bytes = std::size_t{64} << 10;
  std::size_t body_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds head_time{10'000};       ///< From a head's first byte, or the connection, to its end.
  std::chrono::milliseconds body_pause{30'000};      ///< Between two pieces of a body.
  std::chrono::milliseconds body_time{300'000};      ///< For a whole one.
  std::chrono::milliseconds keep_alive{15'000};      ///< Between two requests.
  std::chrono::milliseconds write_patience{60'000};  ///< How long a client may take nothing of its answer.
  std::chrono::milliseconds linger{2'000};           ///< For a client that still sends what nobody reads, to read why.
};

struct Request {
  RequestHead head{};
  std::string body{};
  std::function<bool()> is_abandoned{};  ///< Whether the client has gone. Holds while the request is answered.
};

struct Reply {
  int status = 200;
  Headers headers{};
  std::string body{};

  /// In place of a body: its pieces as they come, nullopt at the end. After an error the connection is closed, so that
  /// nobody takes what was sent for whole.
  std::function<ctxmgr::Result<std::optional<std::string>>()> source{};
};

struct Handler {
  /// Before the body is read: the answer to a request that is not wanted.
  std::function<std::optional<Reply>(const RequestHead&)> refuse{};
  /// Called from several threads at once.
  std::function<Reply(const Request&)> answer{};
  /// What the server itself says to a request that it cannot take; of the head, what is known.
  std::function<Reply(const RequestHead&, int status, const std::string& why)> fail{};
};

enum class Outcome {
  keep,  ///< For another request.
  close,
  discard,  ///< The client still sends what nobody reads: it gets time to read its answer, and no other request.
};

/// `bytes` begins with a whole head; what comes after the request stays in it. `buffers`: for its body.
[[nodiscard]] Outcome exchange(Connection& connection, std::string& bytes, const Limits& limits, const Handler& handler,
                               BodyBuffers& buffers);

/// An answer without a source as it goes over the wire, after which the connection closes.
[[nodiscard]] std::string last_words(const Reply& reply);

}  // namespace ctxpack::http
