#include <algorithm>
#include <cmath>
#include <queue>
#include <string>

#include "engine/selection_internal.hpp"
#include "engine/text_index.hpp"

namespace ctxmgr::engine {
namespace {

struct QueryTerm {
  Term term = 0;
  double weight = 0;
  double idf = 0;
};

struct ItemRef {
  std::size_t slice = 0;
  std::size_t item = 0;
};

class Corpus {
 public:
  explicit Corpus(const std::vector<IndexSlice>& slices) : slices_(slices) {
    for (const IndexSlice& s : slices) {
      items_.push_back(items_.back() + s.last - s.first);
      chunks_.push_back(chunks_.back() + s.index->chunks_before(s.last) - s.index->chunks_before(s.first));
      length_ += s.index->length_before(s.last) - s.index->length_before(s.first);
    }
  }
  std::size_t items() const { return items_.back(); }
  std::size_t chunks() const { return chunks_.back(); }
  double average_length() const { return chunks() == 0 ? 1 : std::max(1.0, length_ / static_cast<double>(chunks())); }
  ItemRef at(std::size_t i) const {
    std::size_t s = 0;
    while (i >= items_[s + 1]) ++s;
    return {s, i - items_[s] + slices_[s].first};
  }
  const ItemAnalysis& item(std::size_t i) const {
    const ItemRef ref = at(i);
    return slices_[ref.slice].index->item(ref.item);
  }
  std::string_view text(std::size_t i) const {
    const ItemRef ref = at(i);
    return slices_[ref.slice].text(ref.item);
  }
  std::string_view header(std::size_t i) const {
    const ItemRef ref = at(i);
    return slices_[ref.slice].header ? slices_[ref.slice].header(ref.item) : std::string_view{};
  }
  std::size_t first_chunk(std::size_t i) const {
    if (i == items()) return chunks();
    const ItemRef ref = at(i);
    const IndexSlice& s = slices_[ref.slice];
    return chunks_[ref.slice] + s.index->chunks_before(ref.item) - s.index->chunks_before(s.first);
  }
  std::size_t item_of_chunk(std::size_t c) const {
    std::size_t s = 0;
    while (c >= chunks_[s + 1]) ++s;
    const IndexSlice& sl = slices_[s];
    return items_[s] + sl.index->item_of_chunk(c - chunks_[s] + sl.index->chunks_before(sl.first)) - sl.first;
  }
  const Chunk& chunk(std::size_t c) const {
    const std::size_t i = item_of_chunk(c);
    return item(i).chunks[c - first_chunk(i)];
  }
  template <class Visit>
  void postings(Term term, Visit visit) const {
    for (std::size_t s = 0; s < slices_.size(); ++s) {
      const IndexSlice& sl = slices_[s];
      const std::size_t base = sl.index->chunks_before(sl.first);
      sl.index->for_each_posting(term, sl.first, sl.last,
                                 [&](std::size_t c, float f) { visit(chunks_[s] + c - base, f); });
    }
  }
  const std::vector<IndexSlice>& slices() const { return slices_; }
  std::size_t slice_end(std::size_t s) const { return items_[s + 1]; }
  std::size_t slice_begin(std::size_t s) const { return items_[s]; }

 private:
  const std::vector<IndexSlice>& slices_;
  std::vector<std::size_t> items_{0};
  std::vector<std::size_t> chunks_{0};
  double length_ = 0;
};

void add_query_text(std::string_view text, double weight, const SelectionWeights& w, TermAnalyzer& analyzer,
                    std::vector<QueryTerm>& terms) {
  std::vector<TermOccurrence> found;
  analyzer.analyze(text, detect_language(text), 0, found);
  std::vector<QueryTerm> own;
  for (const TermOccurrence& o : found) {
    if ((o.flags & term_function) != 0) continue;
    const double value = weight * ((o.flags & term_part) != 0 ? w.part : 1.0);
    auto at = std::find_if(own.begin(), own.end(), [&](const QueryTerm& t) { return t.term == o.term; });
    if (at == own.end())
      own.push_back({o.term, value, 0});
    else
      at->weight = std::max(at->weight, value);
  }
  for (const QueryTerm& t : own) {
    auto at = std::find_if(terms.begin(), terms.end(), [&](const QueryTerm& u) { return u.term == t.term; });
    if (at == terms.end())
      terms.push_back(t);
    else
      at->weight = std::max(at->weight, t.weight);
  }
}

std::size_t code_points(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  return n;
}

struct Candidate {  // an item under consideration
  std::size_t item = 0;
  const ItemAnalysis* analysis = nullptr;
  std::string_view text{};
  double relevance = 0;
  std::vector<double> gain;
  std::vector<double> cost;
  std::vector<char> chosen;
  std::size_t count = 0;
  double overhead = 0;
};

struct Rendered {
  std::string text;
  std::vector<TextSpan> spans;
  bool full = false;
};

Rendered render(const Candidate& c) {
  Rendered out;
  const auto& atoms = c.analysis->atoms;
  if (c.count == atoms.size()) {
    out.text = std::string(c.text);
    out.spans.push_back({0, c.text.size()});
    out.full = true;
    return out;
  }
  out.text = std::string(c.text.substr(0, c.analysis->label_bytes));
  if (c.analysis->label_bytes > 0) out.spans.push_back({0, c.analysis->label_bytes});
  std::size_t last = atoms.size();
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    if (!c.chosen[a]) continue;
    if (last == atoms.size()) {
      if (a > 0) out.text += "… ";
      out.spans.push_back({atoms[a].begin, atoms[a].end - atoms[a].begin});
      out.text += c.text.substr(atoms[a].begin, atoms[a].end - atoms[a].begin);
    } else if (last + 1 == a) {
      TextSpan& span = out.spans.back();
      const std::size_t from = span.offset + span.length;
      out.text += c.text.substr(from, atoms[a].end - from);
      span.length = atoms[a].end - span.offset;
    } else {
      const bool newline =
          c.text.substr(atoms[last].end, atoms[a].begin - atoms[last].end).find('\n') != std::string_view::npos;
      out.text += newline ? "\n…\n" : " … ";
      out.spans.push_back({atoms[a].begin, atoms[a].end - atoms[a].begin});
      out.text += c.text.substr(atoms[a].begin, atoms[a].end - atoms[a].begin);
    }
    last = a;
  }
  if (last != atoms.size() - 1) out.text += " …";
  return out;
}

}  // namespace

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter,
                 const SelectionWeights& w) {
  const Corpus corpus(slices);
  TermAnalyzer analyzer;
  std::vector<QueryTerm> terms;
  add_query_text(request.query, 1, w, analyzer, terms);
  double hint_weight = w.hint;
  for (const std::string& hint : request.hints) {
    add_query_text(hint, hint_weight, w, analyzer, terms);
    hint_weight *= w.hint_decay;
    if (hint_weight < 0.02) break;
  }
  const double n = static_cast<double>(corpus.chunks());
  const double average = corpus.average_length();
  std::vector<double> chunk_score(corpus.chunks(), 0);
  double query_mass = 0;
  auto score_terms = [&](std::vector<QueryTerm>& ts) {
    for (QueryTerm& t : ts) {
      double df = 0;
      corpus.postings(t.term, [&](std::size_t, float) { ++df; });
      t.idf = std::log(1 + (n - df + 0.5) / (df + 0.5));
      if (df == 0) continue;
      corpus.postings(t.term, [&](std::size_t c, float f) {
        const double tf = static_cast<double>(f);
        const double len = static_cast<double>(corpus.chunk(c).length);
        chunk_score[c] += t.weight * t.idf * tf * (w.k1 + 1) / (tf + w.k1 * (1 - w.b + w.b * len / average));
      });
    }
  };
  score_terms(terms);
  for (const QueryTerm& t : terms) query_mass += t.weight * t.idf;
  if (query_mass <= 0) query_mass = 1;

  // item scores
  std::vector<double> item_score(corpus.items(), 0);
  for (std::size_t i = 0; i < corpus.items(); ++i)
    for (std::size_t c = corpus.first_chunk(i); c < corpus.first_chunk(i + 1); ++c)
      item_score[i] = std::max(item_score[i], chunk_score[c]);

  if (w.prf > 0 && !terms.empty()) {
    std::vector<std::size_t> top(corpus.items());
    for (std::size_t i = 0; i < top.size(); ++i) top[i] = i;
    const std::size_t m = std::min<std::size_t>(static_cast<std::size_t>(w.prf_docs), top.size());
    std::partial_sort(top.begin(), top.begin() + static_cast<long>(m), top.end(), [&](auto a, auto b) {
      return item_score[a] != item_score[b] ? item_score[a] > item_score[b] : a < b;
    });
    std::unordered_map<Term, double> weights;
    for (std::size_t k = 0; k < m; ++k) {
      const ItemAnalysis& a = corpus.item(top[k]);
      if (item_score[top[k]] <= 0 || a.tokens.empty()) continue;
      const double share = item_score[top[k]] / item_score[top[0]];
      std::unordered_map<Term, double> tf;
      for (std::size_t i = 0; i < a.tokens.size(); ++i)
        if (!(a.token_flags[i] & (term_function | term_part))) tf[a.terms[a.tokens[i]]] += 1;
      for (auto& [t, f] : tf) weights[t] += share * f / (f + 1 + static_cast<double>(a.tokens.size()) / average);
    }
    std::vector<QueryTerm> extra;
    for (auto& [t, wt] : weights) {
      double df = 0;
      corpus.postings(t, [&](std::size_t, float) { ++df; });
      if (df < 2) continue;
      extra.push_back({t, wt, std::log(1 + (n - df + 0.5) / (df + 0.5))});
    }
    std::sort(extra.begin(), extra.end(), [](auto& a, auto& b) {
      const double x = a.weight * a.idf, y = b.weight * b.idf;
      return x != y ? x > y : a.term < b.term;
    });
    if (extra.size() > static_cast<std::size_t>(w.prf_terms)) extra.resize(static_cast<std::size_t>(w.prf_terms));
    double mass = 0;
    for (auto& t : extra) mass += t.weight * t.idf;
    for (auto& t : extra) t.weight *= w.prf * query_mass / std::max(mass, 1e-9);
    score_terms(extra);
    for (auto& t : extra) {
      auto at = std::find_if(terms.begin(), terms.end(), [&](const QueryTerm& u) { return u.term == t.term; });
      if (at == terms.end())
        terms.push_back(t);
      else
        at->weight += t.weight;
    }
    std::fill(item_score.begin(), item_score.end(), 0.0);
    for (std::size_t i = 0; i < corpus.items(); ++i)
      for (std::size_t c = corpus.first_chunk(i); c < corpus.first_chunk(i + 1); ++c)
        item_score[i] = std::max(item_score[i], chunk_score[c]);
  }

  // neighbours in conversations
  std::vector<double> smooth = item_score;
  for (std::size_t i = 0; i < corpus.items(); ++i) {
    if (corpus.item(i).speaker == Speaker::document) continue;
    double sum = 0, norm = 0;
    const auto range = static_cast<long>(w.nbr_range * 3);
    for (long d = -range; d <= range; ++d) {
      const long j = static_cast<long>(i) + d;
      if (d == 0 || j < 0 || j >= static_cast<long>(corpus.items()) ||
          corpus.item(static_cast<std::size_t>(j)).speaker == Speaker::document)
        continue;
      const double k = std::exp(-std::abs(static_cast<double>(d)) / w.nbr_range);
      sum += k * item_score[static_cast<std::size_t>(j)];
      norm += k;
    }
    smooth[i] = (1 - w.nbr) * item_score[i] + w.nbr * (norm > 0 ? sum / norm : 0) * 2;
  }

  double top = 0;
  for (const double s : smooth) top = std::max(top, s);
  Selection result;
  result.relevance.assign(corpus.items(), 0);
  std::vector<std::size_t> order(corpus.items());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    result.relevance[i] = top > 0 ? smooth[i] / top : 0;
    if (w.recency > 0)
      result.relevance[i] =
          std::max(result.relevance[i], 0.0) + w.recency * std::exp(-static_cast<double>(corpus.items() - 1 - i) / 10);
    result.relevance[i] += 1e-6 * static_cast<double>(i) / static_cast<double>(order.size());
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return result.relevance[a] != result.relevance[b] ? result.relevance[a] > result.relevance[b] : a < b;
  });

  // candidates
  std::unordered_map<Term, double> term_weight;
  for (const QueryTerm& t : terms) term_weight[t.term] = t.weight * t.idf;
  std::vector<Candidate> candidates;
  double room = 0;
  for (const std::size_t i : order) {
    if (room > 6.0 * static_cast<double>(request.budget_tokens) + 2000) break;
    Candidate c;
    c.item = i;
    c.analysis = &corpus.item(i);
    if (c.analysis->atoms.empty()) continue;
    c.text = corpus.text(i);
    c.relevance = std::min(1.0, result.relevance[i]);
    const auto& atoms = c.analysis->atoms;
    const double rate =
        static_cast<double>(counter.count(c.text)) / std::max(1.0, static_cast<double>(code_points(c.text)));
    const std::string header(corpus.header(i));
    c.overhead = static_cast<double>(request.overhead_tokens) +
                 rate * static_cast<double>(c.analysis->label_bytes + 1 + (header.empty() ? 0 : header.size() + 1));
    double best = 0;
    std::vector<double> match(atoms.size(), 0);
    for (std::size_t a = 0; a < atoms.size(); ++a) {
      std::vector<std::uint32_t> seen;
      for (std::uint32_t k = c.analysis->atom_token_begin[a]; k < c.analysis->atom_token_begin[a + 1]; ++k) {
        const std::uint32_t t = c.analysis->tokens[k];
        if (std::find(seen.begin(), seen.end(), t) != seen.end()) continue;
        const auto found = term_weight.find(c.analysis->terms[t]);
        if (found == term_weight.end()) continue;
        seen.push_back(t);
        match[a] += found->second;
      }
      best = std::max(best, match[a]);
    }
    const double r = std::pow(c.relevance, w.gamma);
    for (std::size_t a = 0; a < atoms.size(); ++a) {
      const double len =
          static_cast<double>(code_points(c.text.substr(atoms[a].begin, atoms[a].end - atoms[a].begin))) + 1;
      double q = w.q0 + (1 - w.q0) * (best > 0 ? match[a] / best : 0);
      if (a == 0) q += w.lead;
      c.gain.push_back(r * q * std::pow(len, 1 - w.rho));
      c.cost.push_back(rate * len);
      room += rate * len;
    }
    c.chosen.assign(atoms.size(), 0);
    candidates.push_back(std::move(c));
  }

  // greedy
  struct Step {
    double density;
    std::size_t candidate;
    std::size_t atom;
    bool operator<(const Step& o) const {
      if (density != o.density) return density < o.density;
      if (candidate != o.candidate) return candidate > o.candidate;
      return atom > o.atom;
    }
  };
  auto density_of = [&](std::size_t ci, std::size_t a) {
    const Candidate& c = candidates[ci];
    double cost = c.cost[a];
    if (c.count == 0)
      cost += c.overhead;
    else {
      const bool left = a > 0 && c.chosen[a - 1], right = a + 1 < c.chosen.size() && c.chosen[a + 1];
      if (!left && !right) cost += 0.75;
    }
    return c.gain[a] / cost;
  };
  auto cost_of = [&](std::size_t ci, std::size_t a) {
    const Candidate& c = candidates[ci];
    double cost = c.cost[a];
    if (c.count == 0)
      cost += c.overhead + (c.chosen.size() > 1 ? 1.0 : 0);
    else {
      const bool left = a > 0 && c.chosen[a - 1], right = a + 1 < c.chosen.size() && c.chosen[a + 1];
      if (!left && !right) cost += 0.75;
      if (left && right) cost -= 0.75;
    }
    return cost;
  };
  std::priority_queue<Step> queue;
  for (std::size_t ci = 0; ci < candidates.size(); ++ci)
    for (std::size_t a = 0; a < candidates[ci].gain.size(); ++a) queue.push({density_of(ci, a), ci, a});

  auto assemble = [&]() {
    std::vector<std::size_t> chosen;
    for (std::size_t ci = 0; ci < candidates.size(); ++ci)
      if (candidates[ci].count > 0) chosen.push_back(ci);
    std::sort(chosen.begin(), chosen.end(), [&](auto a, auto b) { return candidates[a].item < candidates[b].item; });
    std::string joined;
    result.chosen.clear();
    std::int64_t overhead = 0;
    for (const std::size_t ci : chosen) {
      Rendered r = render(candidates[ci]);
      if (!joined.empty()) joined += request.separator;
      const std::string header(corpus.header(candidates[ci].item));
      if (!header.empty()) joined += header + "\n";
      joined += r.text;
      overhead += request.overhead_tokens;
      SelectedText s;
      s.index = candidates[ci].item;
      s.view = r.full ? ArtifactView::full : ArtifactView::extract;
      s.text = std::move(r.text);
      s.spans = std::move(r.spans);
      s.relevance = candidates[ci].relevance;
      result.chosen.push_back(std::move(s));
    }
    return counter.count(joined) + overhead;
  };

  const double budget = static_cast<double>(request.budget_tokens);
  double used = 0;
  double scale = 1;
  std::vector<std::pair<std::size_t, std::size_t>> added;
  std::vector<Step> skipped;
  for (int round = 0; round < 12; ++round) {
    std::vector<std::pair<std::size_t, std::size_t>> fresh;
    std::vector<Step> later;
    while (!queue.empty()) {
      Step s = queue.top();
      queue.pop();
      Candidate& c = candidates[s.candidate];
      if (c.chosen[s.atom]) continue;
      const double density = density_of(s.candidate, s.atom);
      if (density < s.density * 0.999999) {
        queue.push({density, s.candidate, s.atom});
        continue;
      }
      const double cost = cost_of(s.candidate, s.atom);
      if (used + cost * scale > budget) {
        later.push_back(s);
        if (budget - used < 3) break;
        continue;
      }
      c.chosen[s.atom] = 1;
      if (c.count == 0)
        for (std::size_t a = 0; a < c.gain.size(); ++a)
          if (a != s.atom) queue.push({density_of(s.candidate, a) * 1.0, s.candidate, a});
      ++c.count;
      used += cost * scale;
      fresh.push_back({s.candidate, s.atom});
    }
    for (const Step& s : later) queue.push(s);
    if (fresh.empty()) break;
    std::int64_t exact = assemble();
    while (exact > request.budget_tokens && !fresh.empty()) {
      Candidate& c = candidates[fresh.back().first];
      c.chosen[fresh.back().second] = 0;
      --c.count;
      fresh.pop_back();
      exact = assemble();
    }
    const double before = used;
    used = static_cast<double>(exact);
    (void)before;
    if (fresh.empty()) break;
  }
  result.tokens = assemble();
  return result;
}

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter) {
  return select(slices, request, counter, SelectionWeights{});
}

}  // namespace ctxmgr::engine
