#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "core/most_tokens.hpp"
#include "core/utf8.hpp"
#include "engine/selection/embedding_fusion.hpp"
#include "engine/selection/knapsack.hpp"
#include "engine/selection/linked_lines.hpp"
#include "engine/selection/narrowing.hpp"
#include "engine/selection/relevance.hpp"
#include "engine/selection/rendering.hpp"
#include "engine/selection/selection_internal.hpp"
#include "engine/selection/untrusted_share.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_reported_items = 4096;
constexpr std::size_t most_reports = 8;  // of one result

// Items by relevance, the best first and the newest among equals, sorted only as far as they are asked for.
class ByRelevance {
 public:
  explicit ByRelevance(const std::vector<double>& relevance) : less_{relevance}, heap_(relevance.size()) {
    std::iota(heap_.begin(), heap_.end(), 0);
    std::make_heap(heap_.begin(), heap_.end(), less_);
  }

  bool empty() const { return heap_.empty(); }

  std::size_t next() {
    std::pop_heap(heap_.begin(), heap_.end(), less_);
    const std::size_t item = heap_.back();
    heap_.pop_back();
    return item;
  }

 private:
  struct Less {
    const std::vector<double>& relevance;
    bool operator()(std::size_t a, std::size_t b) const {
      return relevance[a] != relevance[b] ? relevance[a] < relevance[b] : a < b;
    }
  };
  Less less_;
  std::vector<std::size_t> heap_;
};

double best_of(const std::vector<double>& match) {
  return match.empty() ? 0 : *std::max_element(match.begin(), match.end());
}

// A log or a table: each line is for itself.
bool is_list(const ItemAnalysis& item) {
  return item.format == ContentFormat::log || item.format == ContentFormat::table;
}

// Without a meaning of its own; a line of a diff that names a file or a place has one.
bool is_frame(const ItemAnalysis& item, const Atom& atom) {
  return atom.kind == AtomKind::frame && item.format != ContentFormat::diff;
}

bool is_prose(const ItemAnalysis& item, const Atom& atom) {
  return item.format != ContentFormat::log && atom.kind != AtomKind::row && !is_frame(item, atom);
}

// In a document the sentence beside the one that has the words says the rest; a turn or a result is short or a list. What
// is around a table says nothing of one of its rows, nor they of it.
void add_around(const ItemAnalysis& item, std::vector<double>& match, const SelectionWeights& w) {
  std::vector<char> continued(match.size(), 0);
  for (std::size_t a = 0; a + 1 < match.size(); ++a)
    continued[a] = is_prose(item, item.atoms[a]) && is_prose(item, item.atoms[a + 1]) ? 1 : 0;
  const std::vector<double> near = around(continued, match, w.atom_range);
  const double before = best_of(match);
  double after = 0;
  for (std::size_t a = 0; a < match.size(); ++a) {
    match[a] += w.atom_nbr * near[a];
    after = std::max(after, match[a]);
  }
  // The best sentence keeps its score: rows, to which nothing is added, lose nothing.
  for (std::size_t a = 0; a < match.size() && after > before; ++a)
    if (is_prose(item, item.atoms[a])) match[a] *= before / after;
}

// A row of a table among prose says what its header and its caption say, too.
void add_captions(const ItemAnalysis& item, std::vector<double>& match) {
  if (is_list(item)) return;
  const std::vector<double> own = match;
  for (std::size_t a = 0; a < match.size(); ++a) {
    if (item.atoms[a].kind != AtomKind::row) continue;
    std::uint32_t first = no_atom;
    for (std::uint32_t h = item.atoms[a].open; h != first && h != no_atom; h = item.atoms[h].open) {
      match[a] += own[h];
      first = h;
    }
    if (first != no_atom && first > 0 && is_prose(item, item.atoms[first - 1])) match[a] += own[first - 1];
  }
}

// What a record has of the query, its members share by half: "status" is asked of the one whose "id" is named.
void share_in_records(const ItemAnalysis& item, std::vector<double>& match) {
  if (item.format != ContentFormat::json) return;
  for (std::size_t first = 0; first < match.size();) {
    std::size_t last = first + 1;
    double all = match[first];
    for (; last < match.size() && !item.atoms[last].paragraph_start; ++last) all += match[last];
    const bool is_short = item.atoms[last - 1].end - item.atoms[first].begin <= longest_atom_bytes;
    for (; first < last; ++first)
      if (is_short) match[first] = (match[first] + all) / 2;
  }
}

// How much of the query each atom of an item has.
struct Match {
  std::vector<double> all;      ///< In shares of the item's best.
  std::vector<double> asked;    ///< Of the question alone.
  std::vector<double> named;    ///< Relevance that an atom has whatever the rest of its item is about.
  std::vector<double> times{};  ///< What its gain is multiplied by.
  std::vector<char> reports;    ///< Whether it is the first report of what went wrong.
};

// Sets what each atom of a candidate is worth: how relevant the item and the passage are, how much of the query the atom
// has, and how long it is.
void set_gains(Candidate& candidate, double relevance, const double* passage, const Match& match,
               const SelectionWeights& w) {
  const ItemAnalysis& item = *candidate.analysis;
  const std::string_view text = candidate.text;
  const bool names = item.speaker == Speaker::tool;
  const bool only_frames =
      std::all_of(item.atoms.begin(), item.atoms.end(), [&item](const Atom& atom) { return is_frame(item, atom); });
  std::size_t chunk = 0;
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    const Atom& atom = item.atoms[a];
    if (item.chunks[chunk].last_atom <= a) ++chunk;
    const double share = match.reports[a] != 0 ? 1 : match.all[a];
    const double times = match.reports[a] != 0 ? w.reports : match.times[a];
    const double place = is_list(item) ? std::max(w.passage * passage[chunk], share) : passage[chunk];
    const double length =
        static_cast<double>(utf8::count_code_points(text.substr(atom.begin, atom.end - atom.begin))) + 1;
    const double q = w.q0 + (1 - w.q0) * share;
    const double worth = std::pow(std::max(relevance * place, match.named[a]), w.gamma);
    const bool says_nothing = item.format == ContentFormat::code && !item.has_words(a);
    const bool idle = (is_frame(item, atom) || says_nothing) && !only_frames;  // It comes with what it is around.
    candidate.gain.push_back(idle ? 0 : times * worth * q * std::pow(length, 1 - w.rho));
    if (names)
      candidate.name_gain.push_back(times * w.ident * (w.ident_q0 + (1 - w.ident_q0) * share) *
                                    std::pow(candidate.relevance * passage[chunk], w.ident_gamma));
  }
}

// Equal for lines that differ in their numbers only.
std::uint64_t kind_of(std::string_view line) {
  std::string words;
  for (const char c : line)
    if (c < '0' || c > '9') words += c;
  return hash_term(words);
}

// What went wrong is worth showing whatever is asked of a result: the first report of each kind.
void add_reports(const ItemAnalysis& item, std::string_view text, Match& match) {
  const bool json = item.format == ContentFormat::json;
  if (!json && item.format != ContentFormat::log && item.format != ContentFormat::text) return;
  std::unordered_set<std::uint64_t> kinds;
  for (std::size_t a = 0; a < item.atoms.size() && kinds.size() < most_reports; ++a) {
    const std::string_view line = text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin);
    const bool reports = json ? reports_json_error(line) : reports_error(line);
    if (reports && kinds.insert(kind_of(line)).second) match.reports[a] = 1;
  }
}

Match match_of(const ItemAnalysis& item, std::string_view text, bool follows, const Query& query,
               const SelectionWeights& w) {
  Match match{
      match_atoms(item, follows ? query.terms_after() : query.terms()), match_atoms(item, query.asked()), {}, {}, {}};
  add_captions(item, match.all);
  share_in_records(item, match.all);
  share_in_records(item, match.asked);
  if (item.speaker == Speaker::document) add_around(item, match.all, w);
  const double role = item.speaker == Speaker::assistant ? w.assistant : 1;
  match.times.assign(match.all.size(), role);
  const double best = best_of(match.all);
  for (double& m : match.all) m = best > 0 ? m / best : 0;
  match.reports.assign(match.all.size(), 0);
  if (item.speaker == Speaker::tool) add_reports(item, text, match);
  match.named.assign(match.all.size(), 0);
  return match;
}

// A line of a tool's result may be asked for by name, whatever the rest of the result is about; and a line or row of
// anything may be joined to the one that is asked for by a word that few others have.
void set_named(const std::vector<Candidate>& candidates, const Query& query, const SelectionWeights& w,
               std::vector<Match>& matches) {
  double best = 0;
  std::vector<AskedItem> items;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    items.push_back({candidates[c].analysis, &matches[c].asked});
    if (candidates[c].analysis->speaker == Speaker::tool) best = std::max(best, best_of(matches[c].asked));
  }
  for (std::size_t c = 0; c < candidates.size() && best > 0; ++c)
    if (candidates[c].analysis->speaker == Speaker::tool)
      for (std::size_t a = 0; a < matches[c].named.size(); ++a)
        matches[c].named[a] = w.own * matches[c].asked[a] / best;
  double all_asked = 0;
  for (const QueryTerm& term : query.asked()) all_asked += term.value;
  for (const LinePlace& line : joined_lines(items, all_asked)) {
    double& named = matches[line.item].named[line.atom];
    named = std::max(named, w.joined);
  }
}

std::vector<Candidate> candidates_of(const Corpus& corpus, const Query& query, const Relevance& relevance,
                                     std::int64_t budget_tokens, const SelectionWeights& w) {
  std::vector<Candidate> candidates;
  std::vector<Match> matches;
  std::size_t bytes = 0;
  const std::size_t enough = 24 * static_cast<std::size_t>(budget_tokens) + 8000;
  const bool any = std::any_of(relevance.item.begin(), relevance.item.end(), [](double r) { return r > 0; });
  for (ByRelevance order(relevance.item); !order.empty() && bytes <= enough;) {
    const std::size_t i = order.next();
    if (any && relevance.item[i] < w.least) break;
    const ItemAnalysis& item = corpus.item(i);
    if (item.atoms.empty() || corpus.is_silent(i)) continue;
    Candidate candidate{i, &item, corpus.text(i), corpus.header(i), relevance.item[i]};
    if (corpus.joins_before(i)) candidate.joins = i - 1;
    bytes += candidate.text.size();
    candidates.push_back(std::move(candidate));
    matches.push_back(match_of(item, candidates.back().text, corpus.follows(i), query, w));
    if (!corpus.superseded(i)) continue;
    candidates.back().relevance *= w.superseded;
    std::fill(matches.back().asked.begin(), matches.back().asked.end(), 0);
  }
  set_named(candidates, query, w, matches);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    Candidate& candidate = candidates[c];
    // Where nothing matches, all is as good: the room is filled.
    const double* passage = relevance.passage.data() + corpus.first_chunk(candidate.item);
    set_gains(candidate, any ? candidate.relevance : 1, passage, matches[c], w);
  }
  return candidates;
}

// Deciding the next step takes the passages that say what to do, not the detail around them, and little from afar.
SelectionWeights weights_for(ContextGoal goal) {
  SelectionWeights weights;
  if (goal != ContextGoal::planning) return weights;
  weights.least = 0.2;
  weights.q0 = 0.1;
  weights.atom_nbr = 0;
  return weights;
}

Room room_of(const SelectionRequest& request, const SelectionWeights& w) {
  Room room;
  room.tokens = std::clamp<std::int64_t>(request.budget_tokens, 0, most_tokens);
  room.untrusted_one = untrusted_one_share;
  room.untrusted_all = untrusted_share;
  room.repeated = w.repeated;
  room.dense = w.dense > 0;
  room.separator = request.separator;
  return room;
}

const char* reason_of(ArtifactView view) {
  switch (view) {
    case ArtifactView::extract: return "relevant passages";
    case ArtifactView::dense: return "relevant, whole, written shorter";
    default: return "relevant, whole";
  }
}

}  // namespace

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter,
                 const SelectionWeights& w) {
  const Room room = room_of(request, w);
  const Corpus all(slices);
  const Query query(all, request.query, request.hints, w);
  const Corpus corpus = narrow(all, query, room.tokens, w);
  Relevance relevance = score(corpus, query, w);
  FusionReport fusion;
  if (request.embedder != nullptr)
    fusion = fuse_embeddings(corpus, request.query, *request.embedder, request.call, relevance);
  const std::vector<Candidate> candidates = candidates_of(corpus, query, relevance, room.tokens, w);
  Allocation allocation = allocate(candidates, room, counter);
  Selection result;
  result.tokens = allocation.tokens;
  result.embedder_usage = fusion.usage;
  result.embedder_error = std::move(fusion.error);
  for (Allotment& allotment : allocation.chosen) {
    const Candidate& candidate = candidates[allotment.candidate];
    SelectedText chosen;
    chosen.index = corpus.number_in_all(candidate.item);
    chosen.view = allotment.view;
    chosen.text = std::move(allotment.rendered.text);
    chosen.spans = std::move(allotment.rendered.spans);
    chosen.tokens = counter.count(chosen.text);
    chosen.relevance = candidate.relevance;
    chosen.reason = reason_of(allotment.view);
    result.chosen.push_back(std::move(chosen));
  }
  for (const std::size_t c : allocation.repeats) result.repeats.push_back(corpus.number_in_all(candidates[c].item));
  std::sort(result.repeats.begin(), result.repeats.end());
  if (corpus.all_items() <= most_reported_items) result.relevance = relevance.item;
  return result;
}

Selection select(const std::vector<IndexSlice>& slices, const SelectionRequest& request, const TokenCounter& counter) {
  return select(slices, request, counter, weights_for(request.goal));
}

std::vector<IndexSlice> slices_of(const TextIndex& index, const std::vector<Artifact>& artifacts,
                                  const SelectionRequest& request) {
  const auto text = [&artifacts](std::size_t i) -> std::string_view { return artifacts[i].content; };
  const auto line_of = [](const std::vector<std::string>& lines) {
    return [&lines](std::size_t i) { return i < lines.size() ? std::string_view(lines[i]) : std::string_view(); };
  };
  const std::size_t question = std::min(request.question_at, artifacts.size());
  std::vector<IndexSlice> slices{{&index, 0, question, text, line_of(request.headers)},
                                 {&index, question, artifacts.size(), text, line_of(request.headers), true}};
  if (question == 0) slices.erase(slices.begin());
  if (question == artifacts.size() && slices.size() > 1) slices.pop_back();
  return slices;
}

std::vector<RankedArtifact> rank(const std::vector<IndexSlice>& slices, std::string_view text,
                                 const std::vector<std::string>& hints, std::size_t max_hits) {
  const SelectionWeights weights;
  const Corpus corpus(slices);
  const Query query(corpus, text, hints, weights);
  const Relevance relevance = score(corpus, query, weights);
  std::vector<RankedArtifact> ranked(corpus.items());
  double best = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const ItemAnalysis& item = corpus.item(i);
    ranked[i].relevance = relevance.item[i];
    const std::vector<double> match = match_atoms(item, query.terms());
    for (std::size_t a = 0; a < match.size(); ++a) {
      best = std::max(best, match[a]);
      if (match[a] > 0)
        ranked[i].hits.push_back({{item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin}, match[a]});
    }
    std::stable_sort(ranked[i].hits.begin(), ranked[i].hits.end(),
                     [](const RetrievalHit& a, const RetrievalHit& b) { return a.score > b.score; });
    if (ranked[i].hits.size() > max_hits) ranked[i].hits.resize(max_hits);
  }
  for (RankedArtifact& artifact : ranked)
    for (RetrievalHit& hit : artifact.hits) hit.score /= best;
  return ranked;
}

std::vector<double> focus_match(const TextIndex& index, std::string_view text) {
  const std::vector<IndexSlice> slices{{&index, 0, index.size(), {}, {}}};
  const Corpus corpus(slices);
  const Query query(corpus, text, {}, SelectionWeights{});
  std::vector<double> match = match_atoms(index.item(0), query.terms());
  const double best = match.empty() ? 0 : *std::max_element(match.begin(), match.end());
  if (best > 0)
    for (double& m : match) m /= best;
  return match;
}

}  // namespace ctxmgr::engine
