#include "view/receipts_file.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "ctxmgr/core/json_text.hpp"
#include "view/pricing.hpp"

namespace ctxpack::view {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;
using nlohmann::json;

const json& object_in(const json& object, const char* name) {
  static const json none;
  const auto field = object.find(name);
  return field != object.end() && field->is_object() ? *field : none;
}

std::int64_t number_in(const json& object, const char* name) {
  const auto field = object.find(name);
  return field != object.end() && field->is_number_integer() ? field->get<std::int64_t>() : 0;
}

void read_usage(const json& response, Step& step) {
  const json& usage = object_in(response, "usage");
  if (usage.is_null()) return;
  step.usage.prompt_tokens = number_in(usage, "prompt_tokens");
  step.usage.cached_prompt_tokens = number_in(usage, "cached_prompt_tokens");
  step.usage.completion_tokens = number_in(usage, "completion_tokens");
  step.usage.calls = number_in(usage, "calls");
}

/// The receipt in an object; null where there is none.
const json& receipt_in(const json& value, Step& step) {
  if (value.contains("input_tokens_used")) return value;
  const json& metadata = object_in(value, "metadata");
  const json& response = metadata.is_null() ? value : metadata;
  if (!metadata.is_null() && metadata.contains("input_tokens_used")) return metadata;
  read_usage(response, step);
  return object_in(response, "context_utilization");
}

class Reader {
 public:
  explicit Reader(const ctxmgr::ModelCatalog& catalog) : catalog_(catalog) {}

  Result<void> read(const json& value) {
    if (value.is_array()) {
      for (const json& element : value) {
        if (auto done = read(element); !done) return done;
      }
      return {};
    }
    Step step;
    const json* const receipt = value.is_object() ? &receipt_in(value, step) : nullptr;
    if (const auto error = receipt == nullptr ? value.end() : value.find("error");
        receipt != nullptr && receipt->is_null() && error != value.end() && error->is_string()) {
      step.error = error->get<std::string>();
      steps_.push_back(std::move(step));
      return {};
    }
    if (receipt == nullptr || receipt->is_null())
      return fail(ErrorCode::invalid_argument,
                  "there is no receipt in it: pass the output of build, or the file of simulate --requests");
    auto read = ctxmgr::from_json<ctxmgr::ContextUtilizationMetadata>(receipt->dump());
    if (!read) return tl::unexpected(read.error());
    step.receipt = std::move(*read);
    if (const auto run = value.find("run"); run != value.end() && run->is_string())
      step.thread = run->get<std::string>();
    const auto before = newest_.find(step.thread);
    price(step, before == newest_.end() ? nullptr : &steps_[before->second], catalog_);
    newest_[step.thread] = steps_.size();
    steps_.push_back(std::move(step));
    return {};
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  const ctxmgr::ModelCatalog& catalog_;
  std::vector<Step> steps_;
  std::map<std::string, std::size_t> newest_;  ///< By thread.
};

}  // namespace

Result<std::vector<Step>> read_receipts(std::string_view text, const ctxmgr::ModelCatalog& catalog) {
  Reader reader(catalog);
  if (const auto whole = json::parse(text, nullptr, false); !whole.is_discarded()) {
    return reader.read(whole).map([&] { return reader.take(); });
  }
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto value = json::parse(line, nullptr, false);
    const auto where = "line " + std::to_string(number) + ": ";
    if (value.is_discarded()) return fail(ErrorCode::invalid_argument, where + "malformed JSON");
    if (auto done = reader.read(value); !done) return fail(done.error().code, where + done.error().message);
  }
  return reader.take();
}

}  // namespace ctxpack::view
