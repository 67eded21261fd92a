#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ctxmgr/core/error.hpp"

namespace ctxmgr::redis {

/// The client's side of TLS 1.2 or later, apart from any socket: what came from the server goes in, what is to be sent
/// comes out. The server has to prove that it is `host`.
/// Thread-safety: one thread at a time.
class Tls {
 public:
  /// `ca_file`: PEM file of the authorities to trust; empty: the system's. `invalid_argument` if it cannot be read, or
  /// where the library was built without TLS.
  [[nodiscard]] static Result<std::unique_ptr<Tls>> create(const std::string& host, const std::string& ca_file);
  ~Tls();

  void feed(std::string_view received);
  [[nodiscard]] std::string take_output();

  /// False: more has to come from the server. `denied` where it proves nothing.
  [[nodiscard]] Result<bool> shake_hands();

  [[nodiscard]] Result<void> encrypt(std::string_view plain);

  /// As much as can be read of what came.
  [[nodiscard]] Result<std::string> decrypt();

 private:
  struct Session;
  explicit Tls(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace ctxmgr::redis
