#include <gtest/gtest.h>

#include "adapters/curl/client_fixture.hpp"

namespace ctxmgr::test {
namespace {

Result<Embeddings> embed(const FaultServer& server, const std::vector<std::string_view>& texts) {
  auto options = options_for(server.url());
  options.max_attempts = 1;
  const auto embedder = make_curl_embedder(options);
  EXPECT_TRUE(embedder);
  return (*embedder)->embed(texts, EmbeddingInput::passage, {});
}

FaultServer::Handler says(std::string body) {
  return [body](ServerConnection& connection, const ReceivedRequest&, int) { connection.reply(200, body); };
}

TEST(CurlEmbedderTest, PlacesVectorsByTheirIndex) {
  FaultServer server(
      says(R"({"model":"other-name","data":[{"index":1,"embedding":[0.5,-1]},{"index":0,"embedding":[1,2]}],
      "usage":{"prompt_tokens":7}})"));
  const auto embeddings = embed(server, {"a", "b"});
  ASSERT_TRUE(embeddings) << embeddings.error().message;
  EXPECT_EQ(embeddings->vectors, (std::vector<std::vector<float>>{{1, 2}, {0.5, -1}}));
  EXPECT_EQ(embeddings->usage.prompt_tokens, 7);
  EXPECT_EQ(embeddings->model, "test-model");
  EXPECT_EQ(server.requests()[0].path, "/embeddings");
}

TEST(CurlEmbedderTest, ManyTextsAreSplitAndComeBackInOrder) {
  FaultServer server([](ServerConnection& connection, const ReceivedRequest& request, int) {
    const auto body = parse_json(request.body);
    Json data = Json::array();
    for (const Json& text : (*body)["input"]) data.push_back({{"embedding", {std::stoi(text.string())}}});
    connection.reply(200, dump_json({{"data", data}, {"usage", {{"prompt_tokens", data.size()}}}}));
  });
  std::vector<std::string> texts;
  for (int i = 0; i < 250; ++i) texts.push_back(std::to_string(i));
  const auto embeddings = embed(server, {texts.begin(), texts.end()});
  ASSERT_TRUE(embeddings) << embeddings.error().message;
  EXPECT_EQ(server.attempts(), 3);
  EXPECT_EQ(embeddings->usage.prompt_tokens, 250);
  ASSERT_EQ(embeddings->vectors.size(), 250U);
  for (std::size_t i = 0; i < 250; ++i) EXPECT_EQ(embeddings->vectors[i][0], static_cast<float>(i));
}

/// The body that a model is sent for "a".
Json body_for(const std::string& model, EmbeddingInput input, const std::string& extra = {}) {
  FaultServer server(says(R"({"data":[{"embedding":[1]}]})"));
  auto options = options_for(server.url());
  options.model = model;
  options.extra_body_json = extra;
  EXPECT_TRUE((*make_curl_embedder(options))->embed({"a"}, input, {}));
  return *parse_json(server.requests()[0].body);
}

TEST(CurlEmbedderTest, AModelGetsThePrefixesThatItWasTrainedWith) {
  const auto text = [](const std::string& model, EmbeddingInput input) {
    const auto body = body_for(model, input);
    EXPECT_FALSE(body.contains("input_type")) << model;
    return body["input"][0].string();
  };
  EXPECT_EQ(text("intfloat/multilingual-E5-base", EmbeddingInput::query), "query: a");
  EXPECT_EQ(text("intfloat/multilingual-E5-base", EmbeddingInput::passage), "passage: a");
  EXPECT_EQ(text("nomic-embed-text:v1.5", EmbeddingInput::passage), "search_document: a");
  EXPECT_EQ(text("BAAI/bge-small-en-v1.5", EmbeddingInput::passage), "a");
  EXPECT_NE(text("BAAI/bge-small-en-v1.5", EmbeddingInput::query), "a");
  EXPECT_EQ(text("text-embedding-3-small", EmbeddingInput::query), "a");
}

TEST(CurlEmbedderTest, AServerThatAsksForTheTypeOfInputIsToldByItsField) {
  const auto body = body_for("voyage-3.5", EmbeddingInput::passage);
  EXPECT_EQ(body["input_type"], "document");
  EXPECT_EQ(body["input"][0], "a");
  EXPECT_EQ(body_for("multilingual-e5-small-q4", EmbeddingInput::query)["input_type"], "query");
  const auto own = body_for("my-e5-server", EmbeddingInput::query, R"({"input_type":"search"})");
  EXPECT_EQ(own["input_type"], "search");
  EXPECT_EQ(own["input"][0], "a") << "the host knows better";
}

TEST(CurlEmbedderTest, NothingToEmbedIsNotAsked) {
  FaultServer server(says(""));
  EXPECT_TRUE(embed(server, {})->vectors.empty());
  EXPECT_EQ(server.attempts(), 0);
}

TEST(CurlEmbedderTest, RepliesThatDoNotFitAreBadData) {
  for (const char* body :
       {"{}", R"({"data":[]})", R"({"data":[{"embedding":[]}]})", R"({"data":[{"embedding":["x"]}]})",
        R"({"data":[{"index":5,"embedding":[1]}]})", R"({"data":[{"embedding":[1e300]}]})", "nonsense",
        R"({"data":[{"embedding":[1]},{"embedding":[1]}]})"}) {
    FaultServer server(says(body));
    EXPECT_EQ(embed(server, {"a"}).error().code, ErrorCode::bad_data) << body;
  }
  FaultServer server(says(R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]})"));
  EXPECT_EQ(embed(server, {"a", "b"}).error().code, ErrorCode::bad_data);
}

TEST(CurlEmbedderTest, AnEmbedderNeedsAModel) {
  auto options = options_for("http://127.0.0.1:1");
  options.model.clear();
  EXPECT_EQ(make_curl_embedder(options).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace ctxmgr::test
