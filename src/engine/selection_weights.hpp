#pragma once

namespace ctxmgr::engine {

/// The constants of the deterministic selection.
struct SelectionWeights {
  double k1 = 1.2;
  double b = 0.75;
  double hint = 0.6;        // weight of the newest hint's terms
  double hint_decay = 0.5;  // from one hint to the next older one
  double hint_cap = 0.5;    // most that a term of a hint weighs
  double part = 0.5;        // pieces of an identifier
  double gamma = 3.0;       // item score to probability
  double q0 = 0.4;          // atom without any match in a relevant item
  double rho = 0.3;         // how much shortness counts
  double lead = 0.1;
  double nbr_tool = 0.6;
  double far = 4.0;
  double far_range = 10;
  double nbr = 2;  // share of neighbours' scores in a conversation
  double nbr_range = 2;
  double prf = 0.0;
  double prf_docs = 3;
  double prf_terms = 10;
  double link = 0.6;
  double link_docs = 3;
  double titled = 0.5;
  double ident = 4.0;
  double ident_gamma = 1.0;
  double recency = 0.0;
  double x1 = 0, x2 = 0, x3 = 0, x4 = 0, x5 = 0, x6 = 0, x7 = 0, x8 = 0;
};

}  // namespace ctxmgr::engine
