#include "engine/extracts/reduction.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/index/json_records.hpp"
#include "engine/index/line_template.hpp"
#include "engine/selection/rendering.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_record = 800;  // bytes; longer ones are shown member by member
constexpr std::size_t shown_rows = 3;        // of a table that the focus says nothing about
constexpr double asked_for = 0.5;            // of the best match

std::string_view text_of(std::string_view text, const Unit& unit) {
  return text.substr(unit.begin, unit.end - unit.begin);
}

Unit unit_of_atom(const ItemAnalysis& item, std::size_t a) {
  Unit unit;
  unit.begin = item.atoms[a].begin;
  unit.end = item.atoms[a].end;
  unit.first_atom = a;
  unit.last_atom = a + 1;
  return unit;
}

// Atoms are trimmed; the blanks before a line of code or of a diff say something.
std::size_t indent_before(std::string_view text, std::size_t begin, std::size_t least) {
  std::size_t at = begin;
  while (at > least && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == least || text[at - 1] == '\n' ? at : begin;
}

bool reports_warning(std::string_view line) {
  return line.find("WARN") != std::string_view::npos || line.find("warn") != std::string_view::npos ||
         line.find("Warn") != std::string_view::npos;
}

void raise(Unit& unit, Rank rank) { unit.rank = std::min(unit.rank, rank); }

// The first of each kind is a sample; the others, unless something else speaks for them, are counted.
void rank_by_kind(std::vector<Unit>& units) {
  std::unordered_set<std::uint64_t> seen;
  for (Unit& unit : units) {
    if (unit.kind == 0) continue;
    if (seen.insert(unit.kind).second)
      raise(unit, Rank::sample);
    else if (unit.rank == Rank::rest)
      unit.rank = Rank::counted;
  }
}

// The first report of each kind; further ones as far as they fit.
template <class Reports>
void rank_reports(std::vector<Unit>& units, Reports reports) {
  for (Unit& unit : units)
    if (reports(unit)) raise(unit, unit.rank == Rank::counted ? Rank::framing : Rank::always);
}

// The line before a report, and the two after it, where stack traces begin.
void rank_beside_reports(std::vector<Unit>& units) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (units[u].rank != Rank::always) continue;
    for (std::size_t near = u - std::min<std::size_t>(u, 1); near < std::min(units.size(), u + 3); ++near)
      raise(units[near], Rank::framing);
  }
}

void rank_ends(std::vector<Unit>& units) {
  if (units.empty()) return;
  raise(units.front(), Rank::framing);
  raise(units.back(), Rank::framing);
}

void reduce_log(std::string_view text, std::vector<Unit>& units) {
  for (Unit& unit : units) unit.kind = template_of(text_of(text, unit));
  rank_by_kind(units);
  rank_reports(units, [text](const Unit& unit) {
    return reports_error(text_of(text, unit)) || reports_warning(text_of(text, unit));
  });
  rank_beside_reports(units);
  rank_ends(units);
}

void reduce_diff(std::string_view text, const ItemAnalysis& item, std::vector<Unit>& units) {
  for (Unit& unit : units) {
    const std::string_view line = text_of(text, unit);
    const bool frame = item.atoms[unit.first_atom].kind == AtomKind::frame;
    unit.changed = !frame && (line[0] == '+' || line[0] == '-');
    if (frame && !line.starts_with("@@") && !line.starts_with("index ")) unit.rank = Rank::framing;
    if (unit.changed || line.starts_with("@@")) unit.rank = Rank::sample;
  }
}

bool is_comment(std::string_view line) {
  for (const std::string_view start : {"//", "/*", "*", "#", "\"\"\"", "--"})
    if (line.starts_with(start)) return true;
  return false;
}

// Declarations, then the comments right before or after them.
void reduce_code(std::string_view text, std::vector<Unit>& units) {
  const auto comments = [&](std::size_t u) {
    const std::string_view line = text_of(text, units[u]);
    return is_comment(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
  };
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (!is_declaration(text_of(text, units[u]))) continue;
    raise(units[u], Rank::framing);
    for (std::size_t above = u; above > 0 && comments(above - 1); --above) raise(units[above - 1], Rank::sample);
    if (u + 1 < units.size() && comments(u + 1)) raise(units[u + 1], Rank::sample);
  }
}

void reduce_table(std::string_view text, std::vector<Unit>& units) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const bool head = u == 0 || (u == 1 && is_table_rule(text_of(text, units[u])));
    if (head || reports_error(text_of(text, units[u]))) raise(units[u], Rank::framing);
    if (u < shown_rows + 1 || u + 1 == units.size()) raise(units[u], Rank::sample);
  }
}

// Walks along the records of a text's arrays.
class RecordCursor {
 public:
  explicit RecordCursor(std::string_view text) : arrays_(find_json_records(text)) {}

  /// To the first record that ends after `position`.
  void move_to(std::size_t position) {
    while (array_ < arrays_.size() && position >= record().end)
      if (++record_ == arrays_[array_].records.size()) record_ = 0, ++array_;
  }

  [[nodiscard]] bool begins_before(std::size_t position) const {
    return array_ < arrays_.size() && record().begin < position;
  }
  [[nodiscard]] const JsonRecord& record() const { return arrays_[array_].records[record_]; }
  [[nodiscard]] bool is_first() const { return record_ == 0; }
  [[nodiscard]] bool is_last() const { return record_ + 1 == arrays_[array_].records.size(); }
  [[nodiscard]] const std::string& statistics() const { return arrays_[array_].statistics; }

 private:
  std::vector<JsonRecords> arrays_;
  std::size_t array_ = 0;
  std::size_t record_ = 0;
};

// Members outside of long arrays and in long records stand alone; a short record is one unit.
std::vector<Unit> json_units(std::string_view text, const ItemAnalysis& item) {
  RecordCursor cursor(text);
  std::unordered_set<Term> keys;
  std::vector<Unit> units;
  for (std::size_t a = 0; a < item.atoms.size(); ++a) {
    Unit unit = unit_of_atom(item, a);
    const std::string_view atom = text_of(text, unit);
    if (keys.insert(hash_term(atom.substr(0, atom.find(':')))).second) unit.rank = Rank::sample;
    cursor.move_to(unit.begin);
    if (cursor.begins_before(unit.end)) {
      const JsonRecord& record = cursor.record();
      const bool starts = units.empty() || units.back().end <= record.begin;
      const bool whole = record.end - record.begin <= longest_record;
      if (whole && !starts) {
        units.back().last_atom = a + 1;
        continue;
      }
      if (whole) {
        unit.end = record.end;
        unit.begin = std::min(unit.begin, record.begin);  // The key of the array goes with its first record.
        unit.kind = record.shape | 1;
        unit.rank = Rank::rest;
      }
      if (starts && cursor.is_first()) unit.note = cursor.statistics();
      if (starts && (record.outlier || cursor.is_first() || cursor.is_last())) unit.rank = Rank::framing;
    }
    units.push_back(std::move(unit));
  }
  return units;
}

void reduce_json(std::string_view text, const ItemAnalysis& item, std::vector<Unit>& units) {
  rank_by_kind(units);
  rank_reports(units, [&](const Unit& unit) {
    for (std::size_t a = unit.first_atom; a < unit.last_atom; ++a)
      if (reports_json_error(text.substr(item.atoms[a].begin, item.atoms[a].end - item.atoms[a].begin))) return true;
    return false;
  });
}

std::string_view noun_of(ContentFormat format) {
  return format == ContentFormat::json ? "value" : format == ContentFormat::table ? "row" : "line";
}

}  // namespace

bool is_reducible(ContentFormat format) {
  return format == ContentFormat::log || format == ContentFormat::json || format == ContentFormat::diff ||
         format == ContentFormat::table || format == ContentFormat::code;
}

Reduction reduce(std::string_view text, const ItemAnalysis& item, const std::vector<double>& focus_match) {
  Reduction reduction;
  reduction.noun = noun_of(item.format);
  reduction.tallied = item.format == ContentFormat::log;
  std::vector<Unit>& units = reduction.units;
  if (item.format == ContentFormat::json) {
    units = json_units(text, item);
    reduce_json(text, item, units);
  } else {
    for (std::size_t a = 0; a < item.atoms.size(); ++a) {
      units.push_back(unit_of_atom(item, a));
      units.back().begin = indent_before(text, units.back().begin, item.label_bytes);
      if (item.atoms[a].open != no_atom && item.atoms[a].open != a) units.back().open = item.atoms[a].open;
    }
    if (item.format == ContentFormat::log) reduce_log(text, units);
    if (item.format == ContentFormat::diff) reduce_diff(text, item, units);
    if (item.format == ContentFormat::code) reduce_code(text, units);
    if (item.format == ContentFormat::table) reduce_table(text, units);
  }
  for (Unit& unit : units)
    for (std::size_t a = unit.first_atom; a < unit.last_atom; ++a)
      if (focus_match[a] >= asked_for) raise(unit, Rank::framing);
  return reduction;
}

}  // namespace ctxmgr::engine
