#include "serve/whole_answer.hpp"

namespace ctxpack::serve {

using ctxmgr::Result;

Result<std::unique_ptr<WholeAnswer>> WholeAnswer::read(std::unique_ptr<ctxmgr::HttpAnswer> answer,
                                                       std::size_t most_bytes, const ctxmgr::CallOptions& call) {
  std::unique_ptr<WholeAnswer> whole(new WholeAnswer(std::move(answer)));
  while (whole->body_.size() < most_bytes) {
    auto bytes = whole->answer_->next(call);
    if (!bytes) return tl::unexpected(bytes.error());
    if (!*bytes) {
      whole->has_ended_ = true;
      break;
    }
    whole->body_ += **bytes;
  }
  return whole;
}

Result<std::optional<std::string>> WholeAnswer::next(const ctxmgr::CallOptions& call) {
  if (!was_given_) {
    was_given_ = true;
    if (!body_.empty()) return std::optional<std::string>(body_);
  }
  if (has_ended_) return std::optional<std::string>();
  return answer_->next(call);
}

}  // namespace ctxpack::serve
