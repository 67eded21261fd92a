// A chat of 150 turns with a model in this process, from recorded conversations: every fifth turn asks about what was said before.
// For this library and for what programs do without it: tokens to evaluate a turn, and how much of what answers is in the prompt.
// Needs the vocabulary alone, so nothing is generated: the replies are those of the record.
//   llama_chat_bench MODEL.gguf HISTORIES.jsonl CASES.jsonl [CONVERSATIONS [WAY]]
// CONVERSATIONS: default the first two that are long enough. WAY: a part of its name, to try no others.
// Each history has `history_id` and `messages` (`id`, `role`, `content`), each case `history_id`, `query`, `answer` and
// `gold.message_ids`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctxmgr/adapters/llama.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using Json = nlohmann::json;
using Tokens = std::vector<llama_token>;
using Messages = std::vector<ctxmgr::ConversationMessage>;

constexpr std::size_t turns_in_chat = 150;
constexpr std::size_t turns_to_question = 5;
constexpr std::int64_t reply_tokens = 256;
const char* const instruction = "You are a friend who listens.";

struct Turn {
  std::string user, reply;
  std::vector<std::string> gold;  // Of a question: sentences that answer it.
};

std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

/// Of at least 25 characters, so that thanks alone count for nothing.
std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> out;
  std::string now;
  for (const auto& c : squeezed(text)) {
    if (c == ' ' && now.size() >= 25 && std::string(".!?").find(now.back()) != std::string::npos)
      out.push_back(std::exchange(now, {}));
    else
      now += c;
  }
  if (now.size() >= 10 || out.empty()) out.push_back(now);
  return out;
}

std::vector<Json> rows(const char* path) {
  std::vector<Json> read;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) read.push_back(Json::parse(line));
  return read;
}

/// A recorded conversation as turns with questions between them. Empty: it is too short.
std::vector<Turn> turns_of(const Json& history, const std::vector<Json>& cases) {
  std::map<std::string, std::string> said;
  std::vector<const Json*> open;
  for (const auto& one : cases)
    if (one["history_id"] == history["history_id"] && !one["answer"].empty() && !one["gold"]["message_ids"].empty())
      open.push_back(&one);
  const auto is_known = [&said](const Json* one) {
    const auto& ids = (*one)["gold"]["message_ids"];
    return std::all_of(ids.begin(), ids.end(), [&said](const Json& id) { return said.count(id) > 0; });
  };
  std::vector<Turn> turns{{}};
  for (const auto& message : history["messages"]) {
    const bool is_user = message["role"] == "user";
    const std::string text = message["content"];
    if (is_user && !turns.back().reply.empty()) turns.emplace_back();
    auto& field = is_user ? turns.back().user : turns.back().reply;
    field += (field.empty() ? "" : "\n") + text;
    if (turns.back().user.empty()) turns.back().user = "Hello!";
    said[message["id"]] = text;
    if (turns.back().reply.empty() || turns.size() % turns_to_question != turns_to_question - 1) continue;
    // Spread over what was said so far, the same in every run.
    std::vector<const Json*> known;
    std::copy_if(open.begin(), open.end(), std::back_inserter(known), is_known);
    if (known.empty()) continue;
    const auto* const asked = known[turns.size() * 7 % known.size()];
    open.erase(std::find(open.begin(), open.end(), asked));
    Turn question{(*asked)["query"], (*asked)["answer"][0], {}};
    for (const std::string id : (*asked)["gold"]["message_ids"])
      for (auto& sentence : sentences(said[id])) question.gold.push_back(std::move(sentence));
    turns.push_back(std::move(question));
  }
  if (turns.size() < turns_in_chat) return {};
  turns.resize(turns_in_chat);
  return turns;
}

class Model {
 public:
  explicit Model(const char* path) : model_(nullptr, llama_model_free) {
    auto parameters = llama_model_default_params();
    parameters.vocab_only = true;
    model_.reset(llama_model_load_from_file(path, parameters));
    if (!model_) return;
    const char* const jinja = llama_model_chat_template(model_.get(), nullptr);
    if (auto read = ctxmgr::LlamaTemplate::make(vocab(), jinja == nullptr ? "" : jinja)) chat = *read;
  }

  Tokens render(const Messages& messages) const { return chat->tokens(messages, {}).value(); }

  Tokens tokens_of(const std::string& text) const {
    Tokens tokens(text.size() + 8);
    tokens.resize(static_cast<std::size_t>(llama_tokenize(vocab(), text.data(), static_cast<std::int32_t>(text.size()),
                                                          tokens.data(), static_cast<std::int32_t>(tokens.size()),
                                                          false, false)));
    return tokens;
  }

  std::string text_of(const Tokens& tokens) const {
    std::string text(tokens.size() * 64 + 64, '\0');
    const auto made = llama_detokenize(vocab(), tokens.data(), static_cast<std::int32_t>(tokens.size()), text.data(),
                                       static_cast<std::int32_t>(text.size()), false, true);
    text.resize(static_cast<std::size_t>(std::max(0, made)));
    return text;
  }

  std::shared_ptr<const ctxmgr::LlamaTemplate> chat;

 private:
  const llama_vocab* vocab() const { return llama_model_get_vocab(model_.get()); }
  std::unique_ptr<llama_model, void (*)(llama_model*)> model_;
};

/// What a turn sends. None: the program refuses.
struct Sent {
  Tokens tokens;
  std::size_t kept = 0;
  bool is_as_predicted = true;
};

/// One way to keep a chat in a window, from its first turn to its last.
class Way {
 public:
  virtual ~Way() = default;
  virtual std::optional<Sent> user(const std::string& text) = 0;
  virtual void assistant(const std::string& text) = 0;
};

class Ours : public Way {
 public:
  Ours(const Model& model, std::int64_t window, std::int64_t most_evidence)
      : model_(model), chat_(model.chat, window, options(most_evidence)) {}

  std::optional<Sent> user(const std::string& text) override {
    chat_.user(text);
    auto prompt = chat_.prompt(cached_);
    if (!prompt) return std::nullopt;
    cached_ = prompt->tokens;
    const auto predicted = prompt->receipt.input_tokens_used + prompt->receipt.tools_tokens;
    return Sent{prompt->tokens, prompt->kept, predicted == static_cast<std::int64_t>(prompt->tokens.size())};
  }
  void assistant(const std::string& text) override {
    const auto sampled = model_.tokens_of(text);
    cached_.insert(cached_.end(), sampled.begin(), sampled.end());
    chat_.assistant(text);
  }

 private:
  static ctxmgr::LlamaThreadOptions options(std::int64_t most_evidence) {
    ctxmgr::LlamaThreadOptions options;
    options.system = instruction;
    options.reply_tokens = reply_tokens;
    if (most_evidence > 0) options.request.history.evidence_tokens = most_evidence;
    return options;
  }

  const Model& model_;
  ctxmgr::LlamaConversation chat_;
  Tokens cached_;
};

/// Leaves out the oldest turns once the prompt does not fit, until it takes `share` of the room. Share 0 refuses.
class DropsTurns : public Way {
 public:
  DropsTurns(const Model& model, std::int64_t window, double share)
      : model_(model), room_(static_cast<std::size_t>(window - reply_tokens)), share_(share) {}

  std::optional<Sent> user(const std::string& text) override {
    messages_.push_back({ctxmgr::Role::user, text});
    auto tokens = model_.render(messages_);
    if (tokens.size() > room_) {
      if (share_ == 0) return std::nullopt;
      const auto target = static_cast<std::size_t>(static_cast<double>(room_) * share_);
      while (tokens.size() > target && messages_.size() > 3) {
        messages_.erase(messages_.begin() + 1, messages_.begin() + 3);
        tokens = model_.render(messages_);
      }
    }
    Sent sent{tokens, std::min(ctxmgr::common_prefix(cached_, tokens), tokens.size() - 1)};
    cached_ = std::move(tokens);
    return sent;
  }
  void assistant(const std::string& text) override {
    const auto sampled = model_.tokens_of(text);
    cached_.insert(cached_.end(), sampled.begin(), sampled.end());
    messages_.push_back({ctxmgr::Role::assistant, text});
  }

 private:
  const Model& model_;
  std::size_t room_;
  double share_;
  Messages messages_{{ctxmgr::Role::system, instruction}};
  Tokens cached_;
};

/// llama.cpp's own: half of what stands behind the instruction goes from the cache, and the rest moves forward.
class ShiftsContext : public Way {
 public:
  ShiftsContext(const Model& model, std::int64_t window)
      : model_(model), window_(static_cast<std::size_t>(window)), first_(model.render(messages_).size()) {}

  std::optional<Sent> user(const std::string& text) override {
    messages_.push_back({ctxmgr::Role::user, text});
    const auto all = model_.render(messages_);
    const auto seen = ctxmgr::common_prefix(said_, all);
    const auto fresh = all.size() - seen;
    cached_.insert(cached_.end(), all.begin() + static_cast<std::ptrdiff_t>(seen), all.end());
    said_ = all;
    while (cached_.size() + static_cast<std::size_t>(reply_tokens) > window_) {
      const auto begin = cached_.begin() + static_cast<std::ptrdiff_t>(first_);
      cached_.erase(begin, begin + static_cast<std::ptrdiff_t>((cached_.size() - first_) / 2));
    }
    return Sent{cached_, cached_.size() - std::min(fresh, cached_.size())};
  }
  void assistant(const std::string& text) override {
    const auto sampled = model_.tokens_of(text);
    for (auto* const list : {&cached_, &said_}) list->insert(list->end(), sampled.begin(), sampled.end());
    messages_.push_back({ctxmgr::Role::assistant, text});
  }

 private:
  const Model& model_;
  Messages messages_{{ctxmgr::Role::system, instruction}};
  std::size_t window_, first_;
  Tokens said_, cached_;
};

struct Score {
  std::size_t turns = 0, evaluated = 0, questions = 0, later = 0, over = 0, wrong = 0, refused = 0;
  double found = 0, found_later = 0;
};

double share_found(const std::vector<std::string>& gold, const std::string& text) {
  const auto found = std::count_if(gold.begin(), gold.end(),
                                   [&text](const std::string& one) { return text.find(one) != std::string::npos; });
  return static_cast<double>(found) / static_cast<double>(gold.size());
}

void run(const Model& model, Way& way, const std::vector<Turn>& turns, std::int64_t window, Score& score) {
  bool has_refused = false;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto sent = has_refused ? std::nullopt : way.user(turns[i].user);
    has_refused = !sent;
    ++score.turns;
    score.refused += has_refused ? 1 : 0;
    double found = 0;
    if (sent) {
      score.evaluated += sent->tokens.size() - sent->kept;
      score.over += static_cast<std::int64_t>(sent->tokens.size()) > window - reply_tokens ? 1 : 0;
      score.wrong += sent->is_as_predicted ? 0 : 1;
      if (!turns[i].gold.empty()) found = share_found(turns[i].gold, squeezed(model.text_of(sent->tokens)));
      way.assistant(turns[i].reply);
    }
    if (turns[i].gold.empty()) continue;
    ++score.questions;
    score.found += found;
    if (i < turns.size() / 2) continue;
    ++score.later;
    score.found_later += found;
  }
}

using Make = std::function<std::unique_ptr<Way>(std::int64_t window)>;

std::vector<std::pair<const char*, Make>> ways(const Model& model) {
  const auto ours = [&model](std::int64_t most) {
    return [&model, most](std::int64_t window) { return std::make_unique<Ours>(model, window, most); };
  };
  const auto drops = [&model](double share) {
    return [&model, share](std::int64_t window) { return std::make_unique<DropsTurns>(model, window, share); };
  };
  return {
      {"ctxmgr", ours(0)},
      {"ctxmgr, evidence 500", ours(500)},
      {"ctxmgr, evidence 8192", ours(8'192)},
      {"refuses", drops(0)},
      {"shifts the context", [&model](std::int64_t window) { return std::make_unique<ShiftsContext>(model, window); }},
      {"drops the oldest turn", drops(1)},
      {"drops turns to 75 %", drops(0.75)},
      {"drops turns to 50 %", drops(0.5)}};
}

void compare(const Model& model, const std::vector<std::vector<Turn>>& chats, const std::string& wanted) {
  std::printf("%-24s %6s %14s %9s %9s %6s %6s %8s\n", "", "window", "evaluated/turn", "answers", "later", "over",
              "wrong", "refused");
  for (const auto& [name, make] : ways(model)) {
    if (std::string(name).find(wanted) == std::string::npos) continue;
    for (const std::int64_t window : {2'048, 4'096, 8'192}) {
      Score score;
      for (const auto& chat : chats) run(model, *make(window), chat, window, score);
      std::printf("%-24s %6lld %14zu %7.1f %% %7.1f %% %6zu %6zu %8zu\n", name, static_cast<long long>(window),
                  score.evaluated / std::max<std::size_t>(1, score.turns - score.refused),
                  100 * score.found / static_cast<double>(score.questions),
                  100 * score.found_later / static_cast<double>(score.later), score.over, score.wrong, score.refused);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: llama_chat_bench MODEL.gguf HISTORIES.jsonl CASES.jsonl [CONVERSATIONS [WAY]]\n");
    return 2;
  }
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  const Model model(argv[1]);
  if (!model.chat) {
    std::fprintf(stderr, "no model with a chat template: %s\n", argv[1]);
    return 1;
  }
  const auto most = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 2;
  const auto cases = rows(argv[3]);
  std::vector<std::vector<Turn>> chats;
  for (const auto& history : rows(argv[2])) {
    if (auto turns = turns_of(history, cases); !turns.empty() && chats.size() < most) chats.push_back(std::move(turns));
  }
  if (chats.empty()) {
    std::fprintf(stderr, "no conversation of %zu turns\n", turns_in_chat);
    return 1;
  }
  std::printf("%zu chats of %zu turns\n", chats.size(), turns_in_chat);
  compare(model, chats, argc > 5 ? argv[5] : "");
  return 0;
}
