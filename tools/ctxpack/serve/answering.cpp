#include "serve/answering.hpp"

#include <utility>

#include "ctxmgr/core/json_text.hpp"
#include "serve/headers.hpp"

namespace ctxpack::serve {
namespace {

using ctxmgr::Result;

constexpr std::string_view content_type = "content-type";

bool is_json(const std::string& type) { return type.compare(0, 16, "application/json") == 0; }

}  // namespace

std::string response_metadata(const view::Step& step, const ctxmgr::ModelCatalog& catalog) {
  return ctxmgr::to_json(
      ctxmgr::make_response_metadata(step.receipt, step.usage, catalog.find(step.receipt.model_name)));
}

Answering::Answering(std::unique_ptr<ctxmgr::HttpAnswer> answer, ctxmgr::CallOptions call, view::Step step,
                     OnEnd on_end)
    : answer_(std::move(answer)),
      call_(std::move(call)),
      step_(std::move(step)),
      on_end_(std::move(on_end)),
      usage_(value_of(answer_->headers(), content_type)) {
  step_.status = answer_->status();
}

Answering::~Answering() { end(); }

http::Reply Answering::start(std::shared_ptr<Answering> answering, ReceiptForm form) {
  const auto& answer = *answering->answer_;
  http::Reply reply;
  reply.status = answer.status();
  reply.headers = to_send_back(answer.headers());
  if (form == ReceiptForm::field && answer.status() == 200 && is_json(value_of(answer.headers(), content_type)))
    answering->field_.emplace();
  reply.source = [answering = std::move(answering)] { return answering->next(); };
  return reply;
}

Result<std::optional<std::string>> Answering::next() {
  if (!on_end_) return std::optional<std::string>();
  auto bytes = answer_->next(call_);
  if (!bytes) {
    step_.error = bytes.error().message;
    return bytes;
  }
  if (*bytes) {
    usage_.read(**bytes);
    if (field_) *bytes = field_->pass(**bytes);
    return bytes;
  }
  auto rest = rest_with_receipt();
  end();  // Before the client knows: its next request may ask for this receipt.
  if (!rest.empty()) bytes = std::move(rest);
  return bytes;
}

std::string Answering::rest_with_receipt() {
  if (!field_) return {};
  usage_.end();
  auto so_far = step_;
  so_far.usage = so_far.usage + usage_.usage();
  return field_->end(response_metadata(so_far));
}

void Answering::end() {
  if (!on_end_) return;
  usage_.end();
  step_.usage = step_.usage + usage_.usage();
  step_.took += std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_);
  std::exchange(on_end_, nullptr)(std::move(step_));
}

}  // namespace ctxpack::serve
