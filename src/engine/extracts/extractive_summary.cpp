#include "engine/extracts/extractive_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "engine/extracts/unit_summary.hpp"
#include "engine/index/line_template.hpp"
#include "engine/selection/fitting.hpp"

namespace ctxmgr::engine {
namespace {

// Weights of the scorer; the focus has the largest share, and where there is none, the others grow to fill it.
constexpr double focus_share = 0.45;
constexpr double centrality_share = 0.20;
constexpr double position_share = 0.10;
constexpr double salience_share = 0.25;

constexpr std::size_t routine_times = 3;       // that lines of one kind stand in a text
constexpr std::size_t lines_after_report = 3;  // that say more of it

bool is_content(std::uint8_t flags) { return (flags & (term_function | term_part)) == 0; }

// Cosine of each atom's terms with those of the whole text: what is said often is what it is about.
std::vector<double> centrality(const ItemAnalysis& item) {
  std::vector<double> weight(item.terms.size(), 0);
  for (std::size_t k = 0; k < item.tokens.size(); ++k)
    if (is_content(item.token_flags[k])) weight[item.tokens[k]] += 1;
  for (double& w : weight) w = std::log1p(w);
  std::vector<double> result(item.atoms.size(), 0);
  double best = 0;
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    double sum = 0;
    double terms = 0;
    for (std::uint32_t k = item.atom_token_begin[a]; k < item.atom_token_begin[a + 1]; ++k) {
      if (!is_content(item.token_flags[k])) continue;
      sum += weight[item.tokens[k]];
      ++terms;
    }
    result[a] = terms > 0 ? sum / std::sqrt(terms + 4) : 0;
    best = std::max(best, result[a]);
  }
  for (double& r : result) r = best > 0 ? r / best : 0;
  return result;
}

// Early parts of prose and of sections; both ends of logs.
double position(const ItemAnalysis& item, std::size_t a) {
  const double at = static_cast<double>(a) / static_cast<double>(std::max<std::size_t>(item.atoms.size() - 1, 1));
  if (item.format == ContentFormat::log) return std::max(at * at, 1 - 4 * at);
  const std::uint32_t heading = item.atoms[a].heading;
  const bool leads_section = heading != no_atom && a == heading + 1;
  return leads_section ? 1 : std::max(0.0, 1 - 2 * at);
}

// Headings, names and numbers.
double salience(const ItemAnalysis& item, std::size_t a) {
  if (item.atoms[a].kind == AtomKind::heading) return 0.8;
  double names = 0;
  for (std::uint32_t k = item.atom_token_begin[a]; k < item.atom_token_begin[a + 1]; ++k)
    names += (item.token_flags[k] & term_identifier) != 0 ? 1 : 0;
  return names / (names + 2);
}

class Summary {
 public:
  Summary(std::string_view text, const ItemAnalysis& item, std::vector<double> scores, std::int64_t target,
          const TokenCounter& counter)
      : text_(text), item_(item), scores_(std::move(scores)), target_(target), counter_(counter) {
    chosen_.assign(item.atoms.size(), 0);
    routine_.assign(item.atoms.size(), false);
    const double bytes = static_cast<double>(std::max<std::size_t>(text.size(), 1));
    rate_ = static_cast<double>(counter.count(text)) / bytes;
  }

  RenderedText choose() {
    for (std::size_t a = 0; a < chosen_.size(); ++a)
      if (reports_error(atom(a))) try_add(a);
    if (item_.speaker == Speaker::tool && !added_.empty()) choose_beside_reports();
    std::vector<double> value(chosen_.size());
    std::vector<std::size_t> order(chosen_.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t a : order) value[a] = scores_[a] / std::sqrt(cost(a) + 4);
    std::stable_sort(order.begin(), order.end(), [&value](auto a, auto b) { return value[a] > value[b]; });
    for (int round = 0; round < 2; ++round)  // first what says something new, then the rest
      for (const std::size_t a : order)
        if (chosen_[a] == 0 && !routine_[a] && (round == 1 || is_new(a))) try_add(a);
    return fit();
  }

 private:
  // Where a run failed, what says where and why stands around its reports; lines that differ in their numbers only say what
  // went well, and are left out.
  void choose_beside_reports() {
    std::unordered_map<std::uint64_t, std::size_t> times;
    for (std::size_t a = 0; a < chosen_.size(); ++a) ++times[template_of(atom(a))];
    for (std::size_t a = 0; a < chosen_.size(); ++a)
      routine_[a] = chosen_[a] == 0 && times[template_of(atom(a))] >= routine_times;
    const std::vector<std::size_t> reports = added_;
    for (const std::size_t report : reports)
      for (std::size_t a = report - std::min<std::size_t>(report, 1);
           a < std::min(chosen_.size(), report + 1 + lines_after_report); ++a)
        if (chosen_[a] == 0 && !routine_[a]) try_add(a);
  }

  std::string_view atom(std::size_t a) const {
    return text_.substr(item_.atoms[a].begin, item_.atoms[a].end - item_.atoms[a].begin);
  }

  double cost(std::size_t a) const { return rate_ * static_cast<double>(atom(a).size() + 3); }

  bool is_new(std::size_t a) {
    std::size_t known = 0;
    std::size_t terms = 0;
    for (std::uint32_t k = item_.atom_token_begin[a]; k < item_.atom_token_begin[a + 1]; ++k) {
      if (!is_content(item_.token_flags[k])) continue;
      ++terms;
      known += seen_.count(item_.tokens[k]);
    }
    return terms == 0 || known * 10 <= terms * 7;
  }

  void try_add(std::size_t a) {
    double price = cost(a);
    for (const std::uint32_t frame : {item_.atoms[a].open, item_.atoms[a].close})
      if (frame != no_atom && frame != a && chosen_[frame] == 0) price += cost(frame);
    if (used_ + price > static_cast<double>(target_)) return;
    used_ += price;
    chosen_[a] = 1;
    added_.push_back(a);
    add_frames(item_, a, chosen_);
    for (std::uint32_t k = item_.atom_token_begin[a]; k < item_.atom_token_begin[a + 1]; ++k)
      if (is_content(item_.token_flags[k])) seen_.insert({item_.tokens[k], 1});
  }

  // The costs were estimates: counts the text itself and takes back what was added last.
  RenderedText fit() {
    RenderedText rendered;
    const auto fits = [&](std::size_t count) {
      chosen_.assign(chosen_.size(), 0);
      for (std::size_t i = 0; i < count; ++i) chosen_[added_[i]] = 1;
      complete_frames(item_, chosen_);
      RenderedText shown = render_atoms(text_, item_, chosen_);
      const bool fit = counter_.count(shown.text) <= target_;
      if (fit) rendered = std::move(shown);
      return fit;
    };
    return most_that_fit(added_.size(), fits) == 0 ? RenderedText{} : std::move(rendered);
  }

  std::string_view text_;
  const ItemAnalysis& item_;
  std::vector<double> scores_;
  std::int64_t target_;
  const TokenCounter& counter_;
  AtomSet chosen_;
  std::vector<bool> routine_;
  std::vector<std::size_t> added_;
  std::unordered_map<std::uint32_t, int> seen_;
  double rate_ = 0;
  double used_ = 0;
};

}  // namespace

std::vector<double> summary_scores(const ItemAnalysis& item, const std::vector<double>& focus_match) {
  const bool focused = std::any_of(focus_match.begin(), focus_match.end(), [](double m) { return m > 0; });
  const std::vector<double> central = centrality(item);
  std::vector<double> scores(item.atoms.size(), 0);
  for (std::size_t a = 0; a < scores.size(); ++a) {
    scores[a] = centrality_share * central[a] + position_share * position(item, a) + salience_share * salience(item, a);
    scores[a] = focused ? scores[a] + focus_share * focus_match[a] : scores[a] / (1 - focus_share);
  }
  return scores;
}

SelectedText summarize_item(std::string_view text, const ItemAnalysis& item, const std::vector<double>& focus_match,
                            std::int64_t target_tokens, const TokenCounter& counter) {
  const std::vector<double> scores = summary_scores(item, focus_match);
  const bool reducible = is_reducible(item.format);
  RenderedText rendered =
      reducible ? summarize_units(text, item, reduce(text, item, focus_match), scores, target_tokens, counter)
                : Summary(text, item, scores, target_tokens, counter).choose();
  SelectedText result;
  result.text = std::move(rendered.text);
  result.spans = std::move(rendered.spans);
  result.tokens = counter.count(result.text);
  result.view = result.text.empty() ? ArtifactView::none : ArtifactView::extract;
  result.reason = reducible ? "reduced by its structure" : "central sentences";
  return result;
}

}  // namespace ctxmgr::engine
