#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ctxmgr/adapters/http_relay.hpp"
#include "http/exchange.hpp"
#include "serve/api.hpp"
#include "serve/usage_reader.hpp"
#include "view/run.hpp"

namespace ctxpack::serve {

/// How a client wants the receipt of its request.
enum class ReceiptForm {
  reference,  ///< Its id in a header.
  header,     ///< Its figures in a header, too.
  field,      ///< Whole, as the field `metadata` of an answer that is one JSON object.
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
  [[nodiscard]] static http::Reply start(std::shared_ptr<Answering> answering, Api api, ReceiptForm form);

 private:
  [[nodiscard]] ctxmgr::Result<std::optional<std::string>> next();
  /// The whole body with the receipt in it.
  void read_with_receipt(Api api, http::Reply& reply);
  /// Once, whoever is first.
  void end();

  const std::unique_ptr<ctxmgr::HttpAnswer> answer_;
  const ctxmgr::CallOptions call_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  view::Step step_;
  OnEnd on_end_;
  UsageReader usage_;
};

/// The response's metadata: the receipt, and what the call used and cost.
[[nodiscard]] std::string response_metadata(const view::Step& step, const ctxmgr::ModelCatalog& catalog = {});

}  // namespace ctxpack::serve
