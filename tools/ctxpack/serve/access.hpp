#pragma once
#include <string>
#include <string_view>

namespace ctxpack::serve {

/// Who may use the proxy. Without a token: programs of this machine, and not a page in a browser that has another address
/// in its bar (a foreign name may resolve to this machine). With one: whoever has it, but for pages of other sites, since a
/// browser sends a password that it knows by itself.
class Access {
 public:
  explicit Access(std::string token) : token_(std::move(token)) {}

  struct Caller {
    std::string host{};           ///< Header `Host`.
    std::string origin{};         ///< Header `Origin`; empty: none.
    std::string token{};          ///< Header `x-ctxmgr-token`.
    std::string authorization{};  ///< For the pages, which a browser asks a password for; empty for all other routes.
    std::string site{};  ///< Header `Sec-Fetch-Site`, which browsers send; empty for the pages, which may be linked.
  };
  [[nodiscard]] bool admits(const Caller& caller) const;
  /// Whether a header's value is the token: as it is, behind a scheme ("Bearer TOKEN"), or as a name or password of Basic.
  [[nodiscard]] bool is_token(std::string_view value) const;
  [[nodiscard]] bool has_token() const { return !token_.empty(); }

 private:
  const std::string token_;
};

/// "127.0.0.1:8080", "localhost", "[::1]:80".
[[nodiscard]] bool is_loopback(std::string_view host);

}  // namespace ctxpack::serve
