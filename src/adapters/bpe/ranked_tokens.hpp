#pragma once
#include <string>
#include <vector>

#include "adapters/bpe/vocabulary.hpp"
#include "ctxmgr/core/error.hpp"

namespace ctxmgr::bpe {

struct RankedVocabulary {
  Vocabulary vocabulary;
  /// The place that each of the vocabulary's tokens had among those it was made of; empty where it is the same.
  std::vector<Rank> places;
};

/// A vocabulary from tokens in the order of their ranks, of which the first 256 are the bytes. The merge of each is
/// found by encoding it with the others. Vocabularies that were put together from several, as that of Llama 3, have
/// tokens that are merged from later ones, which come behind those here, and some that merging never makes: these are
/// tokens only where they are a whole piece, or `bad_data` where `whole_pieces` is false.
Result<RankedVocabulary> make_vocabulary(const std::vector<std::string>& tokens, bool whole_pieces = true);

}  // namespace ctxmgr::bpe
