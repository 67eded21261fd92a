// Ports of one's own: a model, a token counter and an embedder from functions, and an archive as a class.
#include <ctxmgr/ctxmgr.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace {

/// Keeps what a build leaves out where the model can ask for it by a tool of the host.
class FileArchive final : public ctxmgr::ArtifactArchive {
 public:
  std::string reference_of(const ctxmgr::Artifact& artifact) const override {
    return "read_file(\"" + name_of(artifact) + "\")";
  }

  ctxmgr::Result<std::string> keep(const ctxmgr::Artifact& artifact, const ctxmgr::CallOptions&) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_[name_of(artifact)] = artifact.content;
    return reference_of(artifact);
  }

 private:
  static std::string name_of(const ctxmgr::Artifact& artifact) {
    return "kept/" + ctxmgr::content_hash(artifact).substr(0, 16);
  }

  std::mutex mutex_;
  std::map<std::string, std::string> files_;
};

/// Any function is a model, if it keeps the contract of the port.
ctxmgr::Result<ctxmgr::LlmResponse> no_model(const ctxmgr::LlmRequest&, const ctxmgr::CallOptions&) {
  return ctxmgr::fail(ctxmgr::ErrorCode::unavailable, "no model today");
}

/// Vectors of two numbers are no embedding of anything, but they show the form.
ctxmgr::Result<ctxmgr::Embeddings> embed(const std::vector<std::string_view>& texts, ctxmgr::EmbeddingInput,
                                         const ctxmgr::CallOptions&) {
  ctxmgr::Embeddings embeddings;
  embeddings.model = "length";
  for (const auto text : texts) embeddings.vectors.push_back({static_cast<float>(text.size()), 1.0F});
  return embeddings;
}

}  // namespace

int main() {
  ctxmgr::ContextManagerOptions options;
  options.client = ctxmgr::make_llm_client(no_model);
  options.embedder = ctxmgr::make_embedder(embed);
  options.token_counters = {ctxmgr::make_token_counter(
      [](std::string_view text) { return static_cast<std::int64_t>((text.size() + 2) / 3); }, {"three-bytes", false})};

  ctxmgr::Context context;
  context.conversation_history = {{ctxmgr::Role::user, "Which part of the manual is about brakes?"}};
  std::string manual;
  for (int page = 1; page < 200; ++page)
    manual += "Page " + std::to_string(page) + " is about part " + std::to_string(page * 7) + ".\n\n";
  context.artifacts = {ctxmgr::make_document("manual.txt", manual + "The brakes are on page 200.\n")};
  ctxmgr::BuildRequest request;
  request.budget.max_input_tokens = 500;
  request.archive = std::make_shared<FileArchive>();

  const auto built = ctxmgr::ContextManager(options).build(context, request);
  if (!built) {
    std::cerr << built.error().message << '\n';
    return 1;
  }
  for (const auto& message : built->messages) std::cout << ctxmgr::text_of(message) << "\n\n";
  std::cout << ctxmgr::explain(built->metadata);
}
