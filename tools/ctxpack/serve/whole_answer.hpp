#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ctxmgr/adapters/http_relay.hpp"

namespace ctxpack::serve {

/// An answer whose beginning was read before it is passed on. Its bytes stay what they were.
class WholeAnswer final : public ctxmgr::HttpAnswer {
 public:
  /// Reads until the end, or until `most_bytes` were read. The answer's errors.
  [[nodiscard]] static ctxmgr::Result<std::unique_ptr<WholeAnswer>> read(std::unique_ptr<ctxmgr::HttpAnswer> answer,
                                                                         std::size_t most_bytes,
                                                                         const ctxmgr::CallOptions& call);

  [[nodiscard]] int status() const override { return answer_->status(); }
  [[nodiscard]] const ctxmgr::HttpHeaders& headers() const override { return answer_->headers(); }
  [[nodiscard]] ctxmgr::Result<std::optional<std::string>> next(const ctxmgr::CallOptions& call) override;

  /// What was read.
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  explicit WholeAnswer(std::unique_ptr<ctxmgr::HttpAnswer> answer) : answer_(std::move(answer)) {}

  const std::unique_ptr<ctxmgr::HttpAnswer> answer_;
  std::string body_;
  bool has_ended_ = false;
  bool was_given_ = false;
};

}  // namespace ctxpack::serve
