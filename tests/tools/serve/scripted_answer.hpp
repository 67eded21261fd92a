#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve::test {

/// A service's answer in these pieces, which ends or breaks behind the last.
class ScriptedAnswer final : public ctxmgr::HttpAnswer {
 public:
  explicit ScriptedAnswer(std::deque<std::string> pieces, bool breaks = false, int status = 200,
                          ctxmgr::HttpHeaders headers = {{"Content-Type", "application/json"}, {"Connection", "close"}})
      : status_(status), headers_(std::move(headers)), pieces_(std::move(pieces)), breaks_(breaks) {}

  [[nodiscard]] int status() const override { return status_; }
  [[nodiscard]] const ctxmgr::HttpHeaders& headers() const override { return headers_; }
  ctxmgr::Result<std::optional<std::string>> next(const ctxmgr::CallOptions&) override {
    if (pieces_.empty() && breaks_) return ctxmgr::fail(ctxmgr::ErrorCode::unavailable, "broken");
    if (pieces_.empty()) return std::optional<std::string>();
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    return std::optional<std::string>(std::move(piece));
  }

 private:
  const int status_;
  const ctxmgr::HttpHeaders headers_;
  std::deque<std::string> pieces_;
  const bool breaks_;
};

}  // namespace ctxpack::serve::test
