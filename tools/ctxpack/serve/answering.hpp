#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ctxmgr/adapters/http_relay.hpp"
#include "http/exchange.hpp"
#include "serve/receipt_field.hpp"
#include "serve/usage_reader.hpp"
#include "view/run.hpp"

namespace ctxpack::serve {

/// How a client wants the receipt of its request.
enum class ReceiptForm {
  reference,  ///< Its id in a header.
  header,     ///< Its figures in a header, too.
  field,      ///< All of it, as the field `metadata` of an answer that is one JSON object.
};

/// An answer on its way to the client. What is done with the step at the end is the last thing that happens.
class Answering {
 public:
  using OnEnd = std::function<void(view::Step step)>;

  Answering(std::unique_ptr<ctxmgr::HttpAnswer> answer, ctxmgr::CallOptions call, view::Step step, OnEnd on_end);
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering();

  /// The reply: status, headers, and the body's source.
  [[nodiscard]] static http::Reply start(std::shared_ptr<Answering> answering, ReceiptForm form);

 private:
  [[nodiscard]] ctxmgr::Result<std::optional<std::string>> next();
  /// What was held back of the answer, with the receipt in it.
  [[nodiscard]] std::string rest_with_receipt();
  /// Once, whoever is first.
  void end();

  const std::unique_ptr<ctxmgr::HttpAnswer> answer_;
  const ctxmgr::CallOptions call_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  view::Step step_;
  OnEnd on_end_;
  UsageReader usage_;
  std::optional<ReceiptField> field_{};  ///< Set: the answer gets its receipt.
};

/// The response's metadata: the receipt, and what the call used and cost.
[[nodiscard]] std::string response_metadata(const view::Step& step, const ctxmgr::ModelCatalog& catalog = {});

}  // namespace ctxpack::serve
