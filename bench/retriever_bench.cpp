// Time of retrieval, as ratios that hold on any machine:
//   fresh: analysis and selection of 200 000 tokens over utf8proc folding, splitting and memoised stemming of the same text
//   next:  a second selection after one new message over the first
//   growth: time for twice the text over time for the text
// "index" is the search index of a thread as the engine keeps it; "retriever" gives the same texts as a list of artifacts
// to `Retriever::select`, which recognises what it has seen. Text is generated; every figure is processor time, the best
// of rounds in which all are measured in turn.

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

#include "ctxmgr/engine/retriever.hpp"
#include "engine/index/text_index.hpp"

namespace {

using namespace ctxmgr;

template <class Work>
double milliseconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void keep_best(double& best, double time) { best = std::min(best, time); }

// Turns of about 100 tokens with a vocabulary that is used as words of a language are: few often, many rarely.
std::vector<std::string> make_turns(std::size_t tokens) {
  std::vector<std::string> turns;
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&state] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  for (std::size_t i = 0; i < tokens / 100; ++i) {
    std::string turn = "user: ";
    while (turn.size() < 400) {
      const std::uint64_t rank = (next() % 100) * (next() % 100) * (next() % 3 + 1);
      std::string word;
      for (std::uint64_t w = rank * 2654435761U + 12345; word.size() < 3 + rank % 7; w = w / 26 + rank * 31 + 7)
        word += static_cast<char>('a' + w % 26);
      turn += word + (next() % 12 == 0 ? ". " : " ");
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

engine::ItemText item_of(const std::string& turn) {
  engine::ItemText item;
  item.text = turn;
  item.label_bytes = 6;
  item.speaker = engine::Speaker::user;
  return item;
}

engine::TextIndex index_of(const std::vector<std::string>& turns) {
  engine::TextIndex index;
  for (const std::string& turn : turns) index.append(item_of(turn));
  return index;
}

SelectionRequest request_for(const std::vector<std::string>& turns) {
  SelectionRequest request;
  request.query = turns[turns.size() / 2].substr(6, 60);
  request.budget_tokens = 4'000;
  return request;
}

std::size_t choose(const engine::TextIndex& index, const std::vector<std::string>& turns, const TokenCounter& counter) {
  const auto text = [&turns](std::size_t i) -> std::string_view { return turns[i]; };
  return engine::select({{&index, 0, index.size(), text, {}}}, request_for(turns), counter).chosen.size();
}

// The yardstick: fold with utf8proc, split at what is no letter or digit, stem each word once.
std::size_t fold_split_stem(const std::vector<std::string>& turns) {
  sb_stemmer* stemmer = sb_stemmer_new("english", "UTF_8");
  std::unordered_map<std::string, std::string> stems;
  std::size_t words = 0;
  const auto take = [&](const std::string& word) {
    ++words;
    if (stems.count(word) != 0) return;
    const auto* symbols = reinterpret_cast<const sb_symbol*>(word.data());
    const sb_symbol* stem = sb_stemmer_stem(stemmer, symbols, static_cast<int>(word.size()));
    stems[word] =
        std::string(reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stemmer)));
  };
  for (const std::string& turn : turns) {
    utf8proc_uint8_t* folded = nullptr;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(turn.data());
    const auto length = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(turn.size()), &folded,
                                     static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
    std::string word;
    for (utf8proc_ssize_t i = 0; i < length; ++i) {
      const char c = static_cast<char>(folded[i]);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || folded[i] >= 0x80) {
        word += c;
      } else if (!word.empty()) {
        take(word);
        word.clear();
      }
    }
    if (!word.empty()) take(word);
    std::free(folded);
  }
  sb_stemmer_delete(stemmer);
  return words;
}

double fresh(const std::vector<std::string>& turns, const TokenCounter& counter) {
  return milliseconds([&] { choose(index_of(turns), turns, counter); });
}

// A message appended, then a selection over all; the best of `runs`.
double next(std::vector<std::string> turns, const TokenCounter& counter, int runs) {
  engine::TextIndex index = index_of(turns);
  choose(index, turns, counter);
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    turns.push_back(turns[turns.size() / 3] + "anew.");
    keep_best(best, milliseconds([&] {
                index.append(item_of(turns.back()));
                choose(index, turns, counter);
              }));
  }
  return best;
}

struct Retrieval {
  double first = 1e9;
  double second = 1e9;
};

// The same through the public interface: a new retriever, then one more artifact at a time.
void retrieve(const std::vector<std::string>& turns, const TokenCounter& counter, Retrieval& best) {
  const SelectionRequest request = request_for(turns);
  std::vector<Artifact> artifacts;
  for (const std::string& turn : turns) {
    artifacts.emplace_back().artifact_type = ArtifactType::conversation;
    artifacts.back().content = turn;
  }
  const Retriever retriever;
  const auto select = [&] { (void)retriever.select(artifacts, request, counter); };
  keep_best(best.first, milliseconds(select));
  for (int i = 0; i < 5; ++i) {
    artifacts.push_back(artifacts[artifacts.size() / 3]);
    artifacts.back().content += "anew.";
    keep_best(best.second, milliseconds(select));
  }
}

void print_growing(const TokenCounter& counter) {
  const double many = next(make_turns(10'000'000), counter, 15);
  const double more = next(make_turns(20'000'000), counter, 15);
  std::printf("next of 100 000 messages        %8.2f ms\n", many);
  std::printf("next of 200 000 messages        %8.2f ms   growth %.2f for 2.00 times the messages\n", more,
              more / many);
}

}  // namespace

int main() {
  constexpr int rounds = 9;
  const auto counter = make_approximate_token_counter();
  const auto turns = make_turns(200'000);
  const auto twice = make_turns(400'000);
  double yardstick = 1e9;
  double first = 1e9;
  double doubled = 1e9;
  double second = 1e9;
  Retrieval retrieval;
  for (int round = 0; round < rounds; ++round) {
    keep_best(yardstick, milliseconds([&] { fold_split_stem(turns); }));
    keep_best(first, fresh(turns, *counter));
    keep_best(doubled, fresh(twice, *counter));
    keep_best(second, next(turns, *counter, 5));
    retrieve(turns, *counter, retrieval);
  }
  std::printf("fold, split, stem               %8.2f ms   200 000 tokens\n", yardstick);
  std::printf("index, fresh                    %8.2f ms   ratio %.2f (at most 1.5)\n", first, first / yardstick);
  std::printf("index, fresh, 400 000 tokens    %8.2f ms   growth %.2f for 2.00 times the text\n", doubled,
              doubled / first);
  std::printf("index, one new message          %8.2f ms   1/%.0f of fresh (at most 1/20)\n", second, first / second);
  std::printf("retriever, fresh                %8.2f ms   ratio %.2f\n", retrieval.first, retrieval.first / yardstick);
  std::printf("retriever, one new artifact     %8.2f ms   1/%.0f of fresh\n", retrieval.second,
              retrieval.first / retrieval.second);
  print_growing(*counter);
}
