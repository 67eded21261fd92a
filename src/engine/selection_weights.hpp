#pragma once

namespace ctxmgr::engine {

/// The constants of the deterministic selection.
struct SelectionWeights {
  double k1 = 1.2;
  double b = 0.75;
  double hint = 0.9;        // weight of the newest hint's terms
  double hint_decay = 0.5;  // from one hint to the next older one
  double hint_cap = 1.0;    // most that a term of a hint weighs
  double part = 0.5;        // pieces of an identifier
  double gamma = 3.0;       // item score to probability
  double q0 = 0.5;          // atom without any match in a relevant item
  double rho = 0.3;         // how much shortness counts
  double lead = 0.1;
  double nbr_tool = 0.7;
  double far = 2.0;
  double far_range = 15;
  double nbr = 1;  // share of neighbours' scores in a conversation
  double nbr_range = 2;
  double prf = 0.05;
  double prf_docs = 3;
  double prf_terms = 10;
  double link = 0.6;
  double link_docs = 3;
  double titled = 0.5;
  double ident = 6.0;
  double ident_gamma = 0.7;
  double superseded = 0.1;  // of an older result of the same call
  double repeated = 0.2;    // of an atom whose words are chosen elsewhere
  double dense = 1;         // whole texts are written shorter without loss
};

}  // namespace ctxmgr::engine
