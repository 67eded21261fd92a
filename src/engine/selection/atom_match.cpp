#include "engine/selection/atom_match.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/index/line_template.hpp"
#include "engine/selection/relevance.hpp"
#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t most_reports = 8;          // of one result
constexpr std::size_t most_beside_report = 4;    // lines
constexpr std::size_t least_bytes_of_token = 3;  // in a text that just fits
constexpr std::size_t routine_times = 3;         // that lines of one kind stand in a text

bool is_prose(const ItemAnalysis& item, const Atom& atom) {
  return item.format != ContentFormat::log && atom.kind != AtomKind::row && !is_frame(item, atom);
}

// Frames are never chosen for themselves: a table's header that has most of the question takes nothing from the rows.
double best_but_frames(const ItemAnalysis& item, const std::vector<double>& match) {
  double best = 0;
  for (std::size_t a = 0; a < match.size(); ++a)
    if (!is_frame(item, item.atoms[a])) best = std::max(best, match[a]);
  return best;
}

// In a document the sentence beside the one that has the words says the rest; a turn or a result is short or a list. What
// is around a table says nothing of one of its rows, nor they of it.
void add_around(const ItemAnalysis& item, std::vector<double>& match, const SelectionWeights& w) {
  std::vector<char> continued(match.size(), 0);
  for (std::size_t a = 0; a + 1 < match.size(); ++a)
    continued[a] = is_prose(item, item.atoms[a]) && is_prose(item, item.atoms[a + 1]) ? 1 : 0;
  const std::vector<double> near = around(continued, match, 1);
  const double before = best_match(match);
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
void share_in_records(const ItemAnalysis& item, std::size_t longest, std::vector<double>& match) {
  if (item.format != ContentFormat::json) return;
  for (std::size_t first = 0; first < match.size();) {
    std::size_t last = first + 1;
    double all = match[first];
    for (; last < match.size() && !item.atoms[last].paragraph_start; ++last) all += match[last];
    const bool is_short = item.atoms[last - 1].end - item.atoms[first].begin <= longest;
    for (; first < last; ++first)
      if (is_short) match[first] = (match[first] + all) / 2;
  }
}

// One past the last line of the block of code that begins at `first`: a function or a table with its comments, up to what
// begins at the same margin.
std::size_t end_of_block(const ItemAnalysis& item, std::size_t first) {
  std::size_t opener = first;
  while (opener < item.atoms.size() && item.atoms[opener].kind != AtomKind::heading) ++opener;
  std::size_t last = opener + 1;
  const auto goes_on = [&](const Atom& atom) {
    return !atom.section_start && (!atom.paragraph_start || atom.heading != item.atoms[opener].heading);
  };
  while (last < item.atoms.size() && goes_on(item.atoms[last])) ++last;
  return std::min(last, item.atoms.size());
}

// A short function or table is one piece: each of its lines has all that the others have of the query, and once more what it has itself.
void share_in_blocks(const ItemAnalysis& item, const std::vector<QueryTerm>& terms, std::size_t longest,
                     std::vector<double>& match) {
  if (item.format != ContentFormat::code) return;
  const std::vector<double> value = term_values(item, terms);
  std::vector<std::size_t> seen(item.terms.size(), 0);
  for (std::size_t first = 0; first < match.size(); ++first) {
    if (!item.atoms[first].section_start) continue;
    const std::size_t last = end_of_block(item, first);
    if (item.atoms[last - 1].end - item.atoms[first].begin > longest) continue;
    double all = 0;
    for (std::uint32_t k = item.atom_token_begin[first]; k < item.atom_token_begin[last]; ++k)
      if (std::exchange(seen[item.tokens[k]], first + 1) != first + 1) all += value[item.tokens[k]];
    for (; first < last; ++first) match[first] += all;
    --first;
  }
}

// Whether a line gives a key its value, which is of the record that it stands in.
bool is_setting(std::string_view line) {
  const std::size_t mark = line.find_first_of(":=");
  return mark != std::string_view::npos && line.find_first_not_of(" \t", mark + 1) != std::string_view::npos;
}

// Of each line, whether lines that begin with the same word come again and again: "[ OK ] a", "PASS b".
std::vector<char> routine_lines(const ItemAnalysis& item, std::string_view text) {
  std::vector<std::uint64_t> first(item.atoms.size());
  std::unordered_map<std::uint64_t, std::size_t> times;
  for (std::size_t a = 0; a < first.size(); ++a) {
    const std::string_view line = text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin);
    first[a] = template_of(line.substr(0, line.find_first_of(" \t:=", line.find_first_not_of("[ \t"))));
    ++times[first[a]];
  }
  std::vector<char> routine(first.size());
  for (std::size_t a = 0; a < first.size(); ++a) routine[a] = times[first[a]] >= routine_times ? 1 : 0;
  return routine;
}

// What says more of a failure stands beside its report: what was expected, what came, and where. It is of a report where it
// gives a key its value and no other lines begin like it.
void add_beside_reports(const ItemAnalysis& item, std::string_view text, std::vector<char>& reports) {
  const std::vector<char> routine = routine_lines(item, text);
  const std::vector<char> found = reports;
  const auto belongs = [&](std::size_t a) {
    return found[a] == 0 && routine[a] == 0 &&
           is_setting(text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin));
  };
  for (std::size_t a = 0; a < found.size(); ++a) {
    if (found[a] == 0) continue;
    if (a > 0 && belongs(a - 1)) reports[a - 1] = 1;
    for (std::size_t b = a + 1; b < std::min(found.size(), a + 1 + most_beside_report) && belongs(b); ++b)
      reports[b] = 1;
  }
}

// What went wrong is worth showing whatever is asked of a result: the first report of each kind. It has as much of the query
// as the best, which its record shares.
void add_reports(const ItemAnalysis& item, std::string_view text, AtomMatch& match) {
  match.reports.assign(item.atoms.size(), 0);
  if (item.speaker != Speaker::tool && item.format != ContentFormat::log) return;
  const bool json = item.format == ContentFormat::json;
  if (!json && item.format != ContentFormat::log && item.format != ContentFormat::text) return;
  std::unordered_set<std::uint64_t> kinds;
  for (std::size_t a = 0; a < item.atoms.size() && kinds.size() < most_reports; ++a) {
    const std::string_view line = text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin);
    const bool reports = json ? reports_json_error(line) : reports_error(line);
    if (reports && kinds.insert(template_of(line)).second) match.reports[a] = 1;
  }
  if (!json) return add_beside_reports(item, text, match.reports);
  const double best = best_match(match.all);
  for (std::size_t a = 0; a < item.atoms.size(); ++a)
    if (match.reports[a] != 0) match.all[a] = best > 0 ? best : 1;
}

// Where something failed, what went well says nothing: lines that differ in their numbers only and have no more of the
// question than the others.
void mark_routine(const ItemAnalysis& item, std::string_view text, AtomMatch& match) {
  match.routine.assign(item.atoms.size(), 0);
  if (item.format == ContentFormat::json) return;  // A record's numbers are what it says.
  if (std::find(match.reports.begin(), match.reports.end(), 1) == match.reports.end()) return;
  std::unordered_map<std::uint64_t, std::pair<std::size_t, double>> kinds;  // How many, and the least of the question.
  std::vector<std::uint64_t> kind(item.atoms.size());
  for (std::size_t a = 0; a < kind.size(); ++a) {
    kind[a] = template_of(text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin));
    auto& [times, least] = kinds.try_emplace(kind[a], 0, match.asked[a]).first->second;
    ++times;
    least = std::min(least, match.asked[a]);
  }
  for (std::size_t a = 0; a < kind.size(); ++a) {
    const auto& [times, least] = kinds.at(kind[a]);
    if (times >= routine_times && match.asked[a] <= least) match.routine[a] = match.reports[a] == 0 ? 1 : 0;
  }
}

}  // namespace

double best_match(const std::vector<double>& match) {
  return match.empty() ? 0 : *std::max_element(match.begin(), match.end());
}

bool is_list(const ItemAnalysis& item) {
  return item.format == ContentFormat::log || item.format == ContentFormat::table;
}

bool is_frame(const ItemAnalysis& item, const Atom& atom) {
  return atom.kind == AtomKind::frame && item.format != ContentFormat::diff;
}

AtomMatch match_item(const ItemAnalysis& item, std::string_view text, const Query& query, std::int64_t room,
                     const SelectionWeights& w) {
  // What is larger than the room is no piece: then the lines that answer count.
  const auto longest =
      std::min<std::size_t>(longest_record_bytes, least_bytes_of_token * static_cast<std::size_t>(room));
  AtomMatch match;
  match.all = match_atoms(item, query.terms());
  match.asked = match_atoms(item, query.asked());
  add_reports(item, text, match);
  add_captions(item, match.all);
  share_in_records(item, longest, match.all);
  share_in_records(item, longest, match.asked);
  share_in_blocks(item, query.terms(), longest, match.all);
  if (item.speaker == Speaker::document) add_around(item, match.all, w);
  const double best = best_but_frames(item, match.all);
  for (double& m : match.all) m = best > 0 ? std::min(1.0, m / best) : 0;
  match.named.assign(match.all.size(), 0);
  mark_routine(item, text, match);
  return match;
}

}  // namespace ctxmgr::engine
