#pragma once
#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "adapters/curl/transfer.hpp"

namespace ctxmgr::http {

/// How all transfers of one client are made.
struct TransportOptions {
  std::chrono::milliseconds connect_timeout{5'000};
  std::size_t max_response_bytes = std::size_t{8} << 20;
  std::size_t max_parallel = 64;
  std::string proxy{};    ///< Empty: none, whatever the environment says.
  std::string ca_file{};  ///< Empty: the system's.
  bool is_https = true;
  bool public_addresses_only = false;
};

/// One libcurl transfer with every option set, and what it borrows.
class EasyHandle {
 public:
  /// Null inside (`get()`) where libcurl has no memory or refuses an option.
  EasyHandle(std::shared_ptr<Transfer> transfer, const TransportOptions& options);
  EasyHandle(const EasyHandle&) = delete;
  EasyHandle& operator=(const EasyHandle&) = delete;
  ~EasyHandle();

  [[nodiscard]] CURL* get() const { return handle_; }
  [[nodiscard]] Transfer& transfer() const { return *transfer_; }

  /// Once libcurl is through with it.
  [[nodiscard]] TransferResult result(CURLcode code) const;

 private:
  [[nodiscard]] bool configure();
  void deliver_head();

  /// Whether the reader has to take something first.
  [[nodiscard]] static bool must_wait(Transfer& transfer);

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent);
  static int on_socket(void* self, curl_socket_t socket, curlsocktype purpose);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  const std::shared_ptr<Transfer> transfer_;
  const TransportOptions& options_;
  curl_off_t sent_bytes_ = 0;
  CURL* handle_ = nullptr;
};

}  // namespace ctxmgr::http
