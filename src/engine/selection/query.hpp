#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/index/term_analysis.hpp"
#include "engine/selection/corpus.hpp"
#include "engine/selection/selection_weights.hpp"

namespace ctxmgr::engine {

struct QueryTerm {
  Term term = 0;
  double value = 0;  ///< Its weight in the query times its idf in the corpus.
};

/// What is asked for, as weighted terms of one corpus.
class Query {
 public:
  /// `hints`, newest first, weigh less each, and all together no more than in proportion to the query itself.
  Query(const Corpus& corpus, std::string_view text, const std::vector<std::string>& hints, const SelectionWeights& w);

  [[nodiscard]] const std::vector<QueryTerm>& terms() const { return terms_; }

  /// Those of the question itself, without hints and feedback.
  [[nodiscard]] const std::vector<QueryTerm>& asked() const { return asked_; }

  /// 0 where the query does not have the term.
  [[nodiscard]] double value_of(Term term) const;

  [[nodiscard]] double total() const { return total_; }  ///< Sum of all values.

  /// Adds to a term's value; a new term is appended.
  void add(Term term, double value);

 private:
  std::vector<QueryTerm> terms_;
  std::vector<QueryTerm> asked_;
  std::unordered_map<Term, std::size_t> position_;
  double total_ = 0;
};

}  // namespace ctxmgr::engine
