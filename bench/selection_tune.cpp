// Scores of the selection for many settings of its constants, in one process on analyses that are made once:
// what choosing constants takes. bench/selection_tune.py runs it.
//
//   selection_tune GOLD [EVERY]       settings on standard input, one a line: NAME=VALUE[,NAME=VALUE]... ("": as they are)
//
// GOLD lists sources and what their cases have to keep, as selection_tune.py writes it from the scorer's own reading.
// EVERY: only each so many-th case of a source takes part. For each setting a line is printed: the scores of all cells.

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cases.hpp"
#include "core/utf8.hpp"
#include "engine/index/artifact_item.hpp"
#include "engine/selection/selection_internal.hpp"
#include "selection_constants.hpp"

namespace {

using namespace ctxmgr;
using Json = nlohmann::json;

struct Needle {
  std::string value;
  std::set<std::string> words;
};

// What a context has to keep: pieces of text, each group whole or in characters; or values behind one of their words.
struct Gold {
  std::vector<std::vector<std::string>> items;
  std::vector<Needle> needles;
  bool soft = false;
};

struct Question {
  ctxpack::Question question;
  engine::TextIndex index;
  Gold gold;
};

struct Source {
  std::string name;
  std::vector<std::int64_t> budgets;
  std::vector<std::unique_ptr<Question>> questions;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
}

std::string squeeze(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto starts = [&](std::string_view blank) { return text.substr(at, blank.size()) == blank; };
    std::size_t blank = 0;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == ' ' || (byte >= 9 && byte <= 13) || (byte >= 0x1C && byte <= 0x1F)) blank = 1;
    if (starts("\xC2\xA0") || starts("\xC2\x85")) blank = 2;
    if (byte == 0xE2 || byte == 0xE3 || byte == 0xE1) {
      if (starts("\xE3\x80\x80") || starts("\xE2\x80\xA8") || starts("\xE2\x80\xA9") || starts("\xE2\x80\xAF") ||
          starts("\xE2\x81\x9F") || starts("\xE1\x9A\x80"))
        blank = 3;
      if (text.substr(at, 2) == "\xE2\x80" && at + 2 < text.size() && static_cast<unsigned char>(text[at + 2]) <= 0x8A)
        blank = 3;
    }
    if (blank == 0) {
      result += text[at++];
    } else {
      if (!result.empty() && result.back() != ' ') result += ' ';
      at += blank;
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

bool has_word_before(const std::string& context, std::size_t position, const std::set<std::string>& words) {
  std::size_t begin = position;
  for (std::size_t chars = 0; begin > 0 && chars < 100; ++chars) do
      --begin;
    while (begin > 0 && (static_cast<unsigned char>(context[begin]) & 0xC0U) == 0x80);
  for (std::size_t at = begin; at < position;) {
    std::string word;
    while (at < position && is_letter(context[at]))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(context[at++])));
    if (word.size() >= 3 && words.count(word) != 0) return true;
    if (word.empty()) ++at;
  }
  return false;
}

bool has(const std::string& context, const Needle& needle) {
  for (std::size_t at = context.find(needle.value); at != std::string::npos; at = context.find(needle.value, at + 1)) {
    const std::size_t end = at + needle.value.size();
    if ((at > 0 && is_word(context[at - 1])) || (end < context.size() && is_word(context[end]))) continue;
    if (needle.words.empty() || has_word_before(context, at, needle.words)) return true;
  }
  return false;
}

double share(const std::string& context, const Gold& gold) {
  double found = 0;
  double all = 0;
  for (const Needle& needle : gold.needles) {
    all += 1;
    found += has(context, needle) ? 1 : 0;
  }
  if (gold.items.empty()) return found / all;
  const std::string text = squeeze(context);
  for (const auto& item : gold.items) {
    bool whole = true;
    for (const std::string& piece : item) {
      const bool present = text.find(piece) != std::string::npos;
      whole = whole && present;
      if (!gold.soft) continue;
      const auto length = static_cast<double>(utf8::count_code_points(piece));
      all += length;
      found += present ? length : 0;
    }
    if (gold.soft) continue;
    all += 1;
    found += whole ? 1 : 0;
  }
  return found / std::max(1.0, all);
}

Gold gold_of(const Json& row) {
  Gold gold;
  gold.soft = row.value("soft", false);
  if (const auto items = row.find("items"); items != row.end())
    gold.items = items->get<std::vector<std::vector<std::string>>>();
  if (const auto needles = row.find("needles"); needles != row.end())
    for (const Json& needle : *needles)
      gold.needles.push_back({needle.at("value"), needle.at("words").get<std::set<std::string>>()});
  return gold;
}

class Analyses {
 public:
  std::shared_ptr<const engine::ItemAnalysis> of(const Artifact& artifact) {
    const engine::ArtifactItem item(artifact);
    const auto text = item.text();
    std::string key(text.text);
    key += '\x01' + std::string(text.title) + '\x01' + std::string(text.call);
    key += static_cast<char>('0' + static_cast<int>(text.speaker));
    auto& analysis = known_[key];
    if (!analysis) analysis = std::make_shared<const engine::ItemAnalysis>(engine::analyze_item(text, analyzer_));
    return analysis;
  }

 private:
  std::unordered_map<std::string, std::shared_ptr<const engine::ItemAnalysis>> known_;
  engine::TermAnalyzer analyzer_;
};

Source read_source(const Json& row, std::size_t every) {
  Source source{row.at("source"), row.at("budgets").get<std::vector<std::int64_t>>(), {}};
  ctxpack::CaseFiles files;
  files.cases = row.at("cases");
  files.histories = row.value("histories", "");
  files.artifacts = row.value("artifacts", "");
  const auto cases = ctxpack::Cases::read(files);
  if (!cases) throw std::runtime_error(cases.error().message);
  const auto gold = ctxpack::read_rows(row.at("gold"), "case_id");
  if (!gold) throw std::runtime_error(gold.error().message);
  Analyses analyses;
  std::size_t number = 0;
  const auto done = cases->for_each([&](const ctxpack::CaseRows& rows) {
    const auto wanted = gold->find(rows.row->at("case_id").get<std::string>());
    if (wanted == gold->end() || number++ % every != 0) return;
    auto kept = std::make_unique<Question>();
    kept->question = ctxpack::question_of(rows);
    kept->gold = gold_of(wanted->second);
    for (const Artifact& artifact : kept->question.artifacts) kept->index.append(analyses.of(artifact));
    source.questions.push_back(std::move(kept));
  });
  if (!done) throw std::runtime_error(done.error().message);
  return source;
}

double score(const Source& source, std::int64_t budget, const engine::SelectionWeights& weights,
             const TokenCounter& counter) {
  double sum = 0;
  for (const auto& one : source.questions) {
    one->question.request.budget_tokens = budget;
    const auto slices = engine::slices_of(one->index, one->question.artifacts, one->question.request);
    const Selection selection = engine::select(slices, one->question.request, counter, weights);
    const std::string context = ctxpack::context_of(selection, one->question);
    if (utf8::count_code_points(context) > 4 * static_cast<std::size_t>(budget)) continue;
    sum += share(context, one->gold);
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, source.questions.size()));
}

bool apply(std::string_view settings, engine::SelectionWeights& weights) {
  while (!settings.empty()) {
    const std::size_t comma = std::min(settings.find(','), settings.size());
    if (!bench::set_constant(settings.substr(0, comma), weights)) return false;
    settings.remove_prefix(std::min(comma + 1, settings.size()));
  }
  return true;
}

int run(const std::string& path, std::size_t every) {
  std::vector<Source> sources;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) sources.push_back(read_source(Json::parse(line), every));
  const auto counter = ctxpack::make_chars4_counter();
  std::fprintf(stderr, "ready\n");
  for (std::string line; std::getline(std::cin, line);) {
    std::string_view text = line;
    // "SOURCE,SOURCE|settings": only these sources.
    std::string_view only;
    if (const auto bar = text.find('|'); bar != std::string_view::npos) {
      only = text.substr(0, bar);
      text.remove_prefix(bar + 1);
    }
    engine::SelectionWeights weights;
    if (!apply(text, weights)) return 2;
    Json cells = Json::object();
    for (const Source& source : sources) {
      if (!only.empty() && ("," + std::string(only) + ",").find("," + source.name + ",") == std::string::npos) continue;
      for (const std::int64_t budget : source.budgets)
        cells[source.name].push_back(score(source, budget, weights, *counter));
    }
    std::printf("%s\n", cells.dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: see the head of selection_tune.cpp\n"), 2;
  try {
    return run(argv[1], argc > 2 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))) : 1);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}
