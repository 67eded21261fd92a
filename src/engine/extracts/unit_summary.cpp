#include "engine/extracts/unit_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/selection/fitting.hpp"
#include "engine/structure/omission.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double note_tokens = 5;  // "[… 297 lines]", for the estimate while choosing

class UnitSummary {
 public:
  UnitSummary(std::string_view text, const ItemAnalysis& item, const Reduction& reduction,
              const std::vector<double>& atom_scores, std::int64_t target, const TokenCounter& counter)
      : text_(text), item_(item), reduction_(reduction), units_(reduction.units), target_(target), counter_(counter) {
    const double bytes = static_cast<double>(std::max<std::size_t>(text.size(), 1));
    rate_ = static_cast<double>(counter.count(text)) / bytes;
    chosen_.assign(units_.size(), 0);
    for (const Unit& unit : units_) {
      double best = 0;
      for (std::size_t a = unit.first_atom; a < unit.last_atom; ++a)
        if (item_.has_words(a)) best = std::max(best, atom_scores[a]);
      value_.push_back(best / std::sqrt(rate_ * static_cast<double>(unit.end - unit.begin) + 4));
      ++alike_[unit.kind];
    }
  }

  RenderedText run() {
    std::vector<std::size_t> order(units_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return units_[a].rank != units_[b].rank ? units_[a].rank < units_[b].rank : value_[a] > value_[b];
    });
    for (const std::size_t u : order)
      if (units_[u].rank != Rank::counted) try_add(u);
    // The costs were estimates: what was added last goes until the text itself fits.
    RenderedText rendered;
    const auto fits = [&](std::size_t count) {
      RenderedText shown = render(count);
      const bool fit = counter_.count(shown.text) <= target_;
      if (fit) rendered = std::move(shown);
      return fit;
    };
    return most_that_fit(added_.size(), fits) == 0 ? RenderedText{} : std::move(rendered);
  }

 private:
  double cost(std::size_t u) const {
    const bool left = u > 0 && chosen_[u - 1] != 0;
    const bool right = u + 1 < units_.size() && chosen_[u + 1] != 0;
    const double gap = left && right ? -note_tokens : left || right ? 0 : note_tokens;
    const std::size_t bytes = units_[u].end - units_[u].begin + 1 + (shows_note(u) ? units_[u].note.size() : 0);
    return rate_ * static_cast<double>(bytes) + gap;
  }

  // Statistics that would take the place of what they are about are left out.
  bool shows_note(std::size_t u) const {
    return !units_[u].note.empty() &&
           rate_ * static_cast<double>(units_[u].note.size()) <= static_cast<double>(target_) / 3;
  }

  // Header rows, hunk and file headers that are still missing above a unit, the nearest first.
  std::vector<std::size_t> missing_frames(std::size_t u) const {
    std::vector<std::size_t> frames;
    for (std::size_t f = units_[u].open; f != no_unit && chosen_[f] == 0; f = units_[f].open) frames.push_back(f);
    return frames;
  }

  void try_add(std::size_t u) {
    if (chosen_[u] != 0) return;
    const std::vector<std::size_t> frames = missing_frames(u);
    double price = cost(u);
    for (const std::size_t f : frames) price += cost(f);
    if (used_ + price > static_cast<double>(target_)) return;
    used_ += price;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) add(*frame);
    add(u);
  }

  void add(std::size_t u) {
    chosen_[u] = 1;
    added_.push_back(u);
  }

  bool has_break(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin).find('\n') != std::string_view::npos;
  }

  // The first `count` of what was added.
  RenderedText render(std::size_t count) {
    chosen_.assign(units_.size(), 0);
    shown_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      chosen_[added_[i]] = 1;
      ++shown_[units_[added_[i]].kind];
    }
    tallied_.clear();
    RenderedText out;
    if (count == units_.size()) {
      append_span(text_, 0, text_.size(), out);
      return out;
    }
    if (item_.label_bytes > 0 && chosen_.front() != 0)
      append_span(text_, 0, units_.front().begin, out);
    else
      append_label(text_, item_, false, out);
    std::size_t next = 0;  // the unit after the last one shown
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (chosen_[u] == 0) continue;
      if (next < u) {
        const std::size_t from = next == 0 ? 0 : units_[next - 1].end;
        const bool lines = has_break(from, units_[u].begin);
        if (next > 0) out.text += lines ? '\n' : ' ';
        out.text.append(gap_note(next, u)).append(1, lines ? '\n' : ' ');
      } else if (next > 0) {
        append_span(text_, units_[u - 1].end, units_[u].begin, out);
      }
      append_unit(u, out);
      next = u + 1;
    }
    if (next < units_.size())
      out.text.append(1, has_break(units_[next - 1].end, units_[next].begin) ? '\n' : ' ')
          .append(gap_note(next, units_.size()));
    return out;
  }

  void append_unit(std::size_t u, RenderedText& out) {
    const Unit& unit = units_[u];
    if (shows_note(u))
      out.text.append("[").append(unit.note).append("]").append(1, has_break(0, text_.size()) ? '\n' : ' ');
    append_span(text_, unit.begin, unit.end, out);
    if (!reduction_.tallied || unit.kind == 0 || !tallied_.insert(unit.kind).second) return;
    const std::size_t all = alike_.at(unit.kind);
    if (all > shown_.at(unit.kind)) out.text += " [\u00D7" + std::to_string(all) + " alike]";
  }

  std::string gap_note(std::size_t first, std::size_t last) const {
    std::size_t changed = 0;
    bool like_shown = true;
    for (std::size_t u = first; u < last; ++u) {
      changed += units_[u].changed ? 1 : 0;
      like_shown = like_shown && units_[u].kind != 0 && shown_.count(units_[u].kind) != 0;
    }
    if (like_shown && reduction_.tallied) return std::string(omission);
    std::string note = "[" + std::string(omission) + " " + std::to_string(last - first);
    if (like_shown)
      note += " more like these";
    else
      note.append(" ").append(reduction_.noun).append(last - first == 1 ? "" : "s");
    if (changed > 0) note += ", " + std::to_string(changed) + " changed";
    return note + "]";
  }

  std::string_view text_;
  const ItemAnalysis& item_;
  const Reduction& reduction_;
  const std::vector<Unit>& units_;
  std::int64_t target_;
  const TokenCounter& counter_;
  double rate_ = 0;
  double used_ = 0;
  std::vector<double> value_;
  AtomSet chosen_;
  std::vector<std::size_t> added_;
  std::unordered_map<std::uint64_t, std::size_t> alike_;  ///< Units of each kind,
  std::unordered_map<std::uint64_t, std::size_t> shown_;  ///< and how many of them are shown.
  std::unordered_set<std::uint64_t> tallied_;             ///< Kinds whose number is said already.
};

}  // namespace

RenderedText summarize_units(std::string_view text, const ItemAnalysis& item, const Reduction& reduction,
                             const std::vector<double>& atom_scores, std::int64_t target_tokens,
                             const TokenCounter& counter) {
  return UnitSummary(text, item, reduction, atom_scores, target_tokens, counter).run();
}

}  // namespace ctxmgr::engine
