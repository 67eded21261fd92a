#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/index/term_analysis.hpp"
#include "engine/selection/corpus.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

struct QueryTerm {
  Term term = 0;
  double value = 0;  ///< Its weight in the query times its idf in the corpus.
};

/// Two words of a question that follow each other but for function words.
struct WordPair {
  Term first = 0;
  Term second = 0;
  double value = 0;  ///< The value of the word that has less.
};

/// A sentence of a request.
struct QuerySentence {
  std::vector<QueryTerm> terms{};
  double total = 0;  ///< Of their values.
};

/// The distinct words of a text that are no function words of its language.
[[nodiscard]] std::unordered_set<Term> content_words(std::string_view text);

/// Whether a question says little without what it refers to: it has at most three distinct words that are no function
/// words of its language.
[[nodiscard]] bool says_little(std::string_view text);

/// Whether a question is about what was said right before: it says little, and has a word like "it", "its" or "that".
[[nodiscard]] bool refers_back(std::string_view text);

/// Whether somebody only thanks, greets or agrees: besides function words there are none but such ("good night", "great, thanks").
/// English, German, French, Spanish, Italian, Portuguese, Dutch.
[[nodiscard]] bool is_small_talk(std::string_view text);

/// What is asked for, as weighted terms of one corpus.
class Query {
 public:
  /// `hints`, newest first, weigh less each, and all together no more than in proportion to the query itself.
  Query(const Corpus& corpus, std::string_view text, const std::vector<std::string>& hints, const SelectionWeights& w);

  [[nodiscard]] const std::vector<QueryTerm>& terms() const { return terms_.list; }

  /// Those of the question itself, without hints.
  [[nodiscard]] const std::vector<QueryTerm>& asked() const { return asked_; }

  /// Of the question itself; empty where all of its words count alike.
  [[nodiscard]] const std::vector<QuerySentence>& sentences() const { return sentences_; }

  /// Of the question itself, in its order, each once.
  [[nodiscard]] const std::vector<WordPair>& pairs() const { return pairs_; }

  /// 0 where the query does not have the term.
  [[nodiscard]] double value_of(Term term) const { return terms_.value_of(term); }

  /// How much of the question no one place before it has, 0 to 1; a word that no text has counts as the rarest would.
  [[nodiscard]] double open() const { return open_; }

  /// How far the question goes on from its hints, 0 to 1: by what no one place before it has of its known words, or by
  /// what the hints have of them. A question that one place answers, in words that were not used lately, is a new topic.
  [[nodiscard]] double continues() const { return continues_; }

  /// Adds to a term's value; a new term is appended.
  void add(const QueryTerm& term) { terms_.add(term); }

 private:
  struct Terms {
    std::vector<QueryTerm> list;
    std::unordered_map<Term, std::size_t> position;
    double total = 0;

    [[nodiscard]] double value_of(Term term) const;
    void add(const QueryTerm& term);
  };
  void add_sentences(const Corpus& corpus, std::string_view text, TermAnalyzer& analyzer);
  void add_pairs(std::string_view text, Language language, TermAnalyzer& analyzer);
  void add_hints(const std::vector<std::vector<QueryTerm>>& hints, double direct, double share,
                 const SelectionWeights& w);

  Terms terms_;
  std::vector<QueryTerm> asked_;
  std::vector<QuerySentence> sentences_;
  std::vector<WordPair> pairs_;
  double open_ = 1;
  double continues_ = 1;
};

}  // namespace ctxmgr::engine
