#pragma once

namespace ctxmgr::engine {

/// The constants of the deterministic selection; `docs/retrieval.md` says what each ingredient gives. One set for all
/// kinds of text. Fields, so that a measurement can change them one by one.
struct SelectionWeights {
  // BM25 (Robertson and Zaragoza, 2009).
  double k1 = 1.2;
  double b = 0.75;

  // The query.
  double hint = 0.7;         ///< Mass of the newest hint's terms, as a share of the query's own.
  double hint_chat = 0.1;    ///< The same where people talk and the question says by itself what it asks.
  double hint_before = 0.2;  ///< They add so much to what a question on a new topic finds before it, in its own score.
  double hint_decay = 0.5;   ///< What is left from one hint to the next older one.

  /// A request of several sentences is answered by what answers one of them: what a text has of that one counts squared, by the most
  /// that it could have, and this share of what it has of all words besides. 1: all words count alike.
  double spread = 1;

  // What stands around an item of a conversation, added to its own score.
  double nbr_range = 4;   ///< Turns and results of tools nearby, falling off by e in this many of them;
  double far = 2.0;       ///< Weight of the wider topic for spoken turns,
  double far_range = 15;  ///< which falls off by e in this many of them.

  // Passages (chunks) of a longer item, in scores of its best one.
  double passage = 0.25;  ///< What is left to one that is far from any that matches.

  // Atoms of a document, in scores of its best one: what stands around one, added to its own match.
  double atom_nbr = 2;  ///< Falling off by e from one to the next.

  // Documents that are named.
  double link = 0.6;  ///< For a title that stands whole in the query, in top scores, or in a best answer, in its score.

  // From scores to what an atom is worth: relevance^gamma × (q0 + (1 − q0) × share of the query) × length^(1 − rho).
  double gamma = 3.0;
  double q0 = 0.5;
  double rho = 0.3;
  double ident = 15.0;       ///< For an identifier of a tool's result that nothing chosen so far has,
  double ident_gamma = 0.7;  ///< times its share of the query and relevance to this power.
  double reports = 4;        ///< Times as much is the first report of an error of each kind worth, in a tool's result.
  double assistant = 0.5;    ///< Times as much is an atom of an assistant's long turn worth as one of anything else.
  double repeated = 0.1;     ///< Is left of an atom's worth once its words are chosen elsewhere.
  double superseded = 0.1;   ///< Is left of the relevance of a result once the same call was answered again.
  double least = 0.01;       ///< Items, and passages of an item, below this relevance are left out,
  bool fills = true;         ///< but where a question is left open they fill what else would be empty.
};

}  // namespace ctxmgr::engine
