#include "engine/index/item_analysis.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/utf8.hpp"
#include "engine/index/date_terms.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t target_chunk_bytes = 1200;  // about 300 tokens
constexpr std::size_t longest_chunk_bytes = 1600;
constexpr std::size_t least_chunk_bytes = 320;
constexpr std::size_t most_title_bytes = 512;     // bytes that are read of it, for each passage counts them
constexpr std::size_t longest_named_call = 512;   // what is longer writes rather than asks
constexpr std::size_t longest_short_turn = 400;   // characters
constexpr std::uint32_t most_heading_terms = 32;  // of one heading, for each passage under it
constexpr float title_weight = 2;                 // field boost of titles and headings

// A chunk ends where a paragraph does once it has its target size, or where the next atom would make it too long.
void cut_chunks(const std::vector<Atom>& atoms, std::vector<Chunk>& chunks) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const std::size_t size = atoms[i].end - atoms[first].begin;
    const std::size_t before = i > first ? atoms[i - 1].end - atoms[first].begin : 0;
    const bool full = before >= least_chunk_bytes && size > longest_chunk_bytes;
    const bool head = atoms[i].kind == AtomKind::heading || atoms[i].section_start;
    const bool section = head && before >= least_chunk_bytes;
    const bool paragraph = atoms[i].paragraph_start && before >= target_chunk_bytes;
    if (i > first && (full || section || paragraph)) {
      chunks.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(i), 0});
      first = i;
    }
  }
  if (first < atoms.size())
    chunks.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(atoms.size()), 0});
}

// Terms of the whole item in reading order, with the atom that each belongs to.
struct ItemTerms {
  std::vector<TermOccurrence> occurrences;
  std::vector<std::uint32_t> atom_begin;
};

ItemTerms collect_terms(std::string_view text, const ItemAnalysis& analysis, TermAnalyzer& analyzer) {
  ItemTerms terms;
  terms.occurrences.reserve(text.size() / 5);
  analyzer.analyze(text.substr(0, analysis.label_bytes), analysis.language, 0, terms.occurrences);
  for (const Atom& atom : analysis.atoms) {
    terms.atom_begin.push_back(static_cast<std::uint32_t>(terms.occurrences.size()));
    analyzer.analyze(text.substr(atom.begin, atom.end - atom.begin), analysis.language, atom.begin, terms.occurrences);
  }
  terms.atom_begin.push_back(static_cast<std::uint32_t>(terms.occurrences.size()));
  return terms;
}

// What a result repeats of its call, it says itself.
void remove_said(const ItemTerms& terms, std::vector<Term>& asked) {
  if (asked.empty()) return;
  std::unordered_set<Term> left(asked.begin(), asked.end());
  for (const TermOccurrence& occurrence : terms.occurrences) left.erase(occurrence.term);
  asked.erase(std::remove_if(asked.begin(), asked.end(), [&left](Term term) { return left.count(term) == 0; }),
              asked.end());
}

// Numbers terms as they come. Terms are hashes already, so their low bits say where to look.
class TermNumbers {
 public:
  std::uint32_t number(Term term) {
    if (2 * (terms_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slot_of(term);
    if (slot == 0) {
      terms_.push_back(term);
      slot = static_cast<std::uint32_t>(terms_.size());
    }
    return slot - 1;
  }

  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

 private:
  std::uint32_t& slot_of(Term term) {
    std::size_t at = static_cast<std::size_t>(term) & (slots_.size() - 1);
    while (slots_[at] != 0 && terms_[slots_[at] - 1] != term) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
    for (std::uint32_t n = 0; n < terms_.size(); ++n) slot_of(terms_[n]) = n + 1;
  }

  std::vector<Term> terms_;
  std::vector<std::uint32_t> slots_;  ///< Numbers from 1; 0: empty. Their count is a power of two.
};

// Distinct terms are few beside all of them: only they are sorted.
void intern(const ItemTerms& terms, ItemAnalysis& analysis) {
  TermNumbers numbers;
  analysis.tokens.reserve(terms.occurrences.size());
  analysis.token_flags.reserve(terms.occurrences.size());
  for (const TermOccurrence& occurrence : terms.occurrences) {
    analysis.tokens.push_back(numbers.number(occurrence.term));
    analysis.token_flags.push_back(occurrence.flags);
  }
  for (const Term term : analysis.title) numbers.number(term);
  for (const Term term : analysis.asked) numbers.number(term);
  std::vector<std::pair<Term, std::uint32_t>> sorted;
  sorted.reserve(numbers.terms().size());
  for (const Term term : numbers.terms()) sorted.emplace_back(term, static_cast<std::uint32_t>(sorted.size()));
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> place(sorted.size());
  analysis.terms.reserve(sorted.size());
  for (const auto& [term, number] : sorted) {
    place[number] = static_cast<std::uint32_t>(analysis.terms.size());
    analysis.terms.push_back(term);
  }
  for (std::uint32_t& token : analysis.tokens) token = place[token];
  analysis.atom_token_begin = terms.atom_begin;
}

struct Entry {
  std::uint32_t term;
  std::uint32_t chunk;
  float frequency;
};

void add_entries(const ItemAnalysis& analysis, std::uint32_t first, std::uint32_t last, std::uint32_t chunk,
                 float weight, std::vector<Entry>& entries) {
  for (std::uint32_t i = first; i < last; ++i) entries.push_back({analysis.tokens[i], chunk, weight});
}

void add_chunk_entries(ItemAnalysis& analysis, std::uint32_t c, std::vector<Entry>& entries) {
  Chunk& chunk = analysis.chunks[c];
  const std::vector<std::uint32_t>& begin = analysis.atom_token_begin;
  add_entries(analysis, begin[chunk.first_atom], begin[chunk.last_atom], c, 1, entries);
  add_entries(analysis, 0, begin[0], c, 1, entries);  // the label
  chunk.length = static_cast<float>(begin[chunk.last_atom] - begin[chunk.first_atom] + begin[0]);
  // The headings that it stands under, up to the outermost; what a class is called says little of one of its functions,
  // what stands first in an object little of the rest.
  const bool code = analysis.format == ContentFormat::code || analysis.format == ContentFormat::json;
  for (std::uint32_t h = analysis.atoms[chunk.first_atom].heading; !code && h != no_atom; h = analysis.atoms[h].heading)
    add_entries(analysis, begin[h], std::min(begin[h + 1], begin[h] + most_heading_terms), c, title_weight, entries);
  // What a block of code declares is what it is about: the question is for that, and not for what calls it.
  for (std::uint32_t a = chunk.first_atom; analysis.format == ContentFormat::code && a < chunk.last_atom; ++a)
    if (analysis.atoms[a].kind == AtomKind::heading)
      add_entries(analysis, begin[a], std::min(begin[a + 1], begin[a] + most_heading_terms), c, title_weight, entries);
  const auto add_terms = [&](const std::vector<Term>& terms) {
    for (const Term term : terms) {
      const auto at = std::lower_bound(analysis.terms.begin(), analysis.terms.end(), term) - analysis.terms.begin();
      entries.push_back({static_cast<std::uint32_t>(at), c, title_weight});
    }
  };
  add_terms(analysis.title);
  add_terms(analysis.asked);
}

void build_postings(ItemAnalysis& analysis) {
  std::vector<Entry> entries;
  entries.reserve(analysis.tokens.size() + analysis.title.size() * analysis.chunks.size());
  for (std::uint32_t c = 0; c < analysis.chunks.size(); ++c) add_chunk_entries(analysis, c, entries);
  // Counting sort by term; the chunks are ascending already.
  analysis.posting_begin.assign(analysis.terms.size() + 1, 0);
  std::vector<std::uint32_t> start(analysis.terms.size() + 1, 0);
  for (const Entry& entry : entries) ++start[entry.term + 1];
  for (std::size_t t = 1; t < start.size(); ++t) start[t] += start[t - 1];
  std::vector<Posting> sorted(entries.size());
  for (const Entry& entry : entries) sorted[start[entry.term]++] = {entry.chunk, entry.frequency};
  std::size_t from = 0;
  for (std::size_t t = 0; t < analysis.terms.size(); ++t) {
    analysis.posting_begin[t] = static_cast<std::uint32_t>(analysis.postings.size());
    for (; from < start[t]; ++from) {
      const bool same =
          analysis.postings.size() > analysis.posting_begin[t] && analysis.postings.back().chunk == sorted[from].chunk;
      if (same)
        analysis.postings.back().frequency += sorted[from].frequency;
      else
        analysis.postings.push_back(sorted[from]);
    }
  }
  analysis.posting_begin.back() = static_cast<std::uint32_t>(analysis.postings.size());
  analysis.postings.shrink_to_fit();
}

// Who says something in a few words means one thing: cut, it loses what the other half is about.
bool is_short_turn(const ItemText& item, std::string_view body) {
  const bool spoken = item.speaker == Speaker::user || item.speaker == Speaker::assistant;
  return spoken && item.sections.empty() && body.size() <= 4 * longest_short_turn &&
         utf8::count_code_points(body) <= longest_short_turn;
}

TextStructure structure_of(const ItemText& item, std::string_view body, bool short_turn) {
  if (short_turn) return whole_turn(body, item.format);
  if (item.sections.empty()) return analyze_structure(body, item.format);
  std::vector<TextSection> sections;
  for (const TextSection& section : item.sections)
    sections.push_back(
        {section.begin - item.label_bytes, section.text - item.label_bytes, section.end - item.label_bytes});
  return analyze_sections(body, sections);
}

}  // namespace

std::size_t ItemAnalysis::bytes() const {
  return sizeof(ItemAnalysis) + atoms.capacity() * sizeof(Atom) + chunks.capacity() * sizeof(Chunk) +
         (terms.capacity() + title.capacity() + asked.capacity()) * sizeof(Term) +
         postings.capacity() * sizeof(Posting) +
         (posting_begin.capacity() + tokens.capacity() + atom_token_begin.capacity()) * sizeof(std::uint32_t) +
         token_flags.capacity();
}

ItemAnalysis analyze_item(const ItemText& item, TermAnalyzer& analyzer) {
  ItemAnalysis analysis;
  const std::string_view text = item.text.substr(0, 0xFFFFFFF0U);
  analysis.speaker = item.speaker;
  analysis.trust = item.trust;
  analysis.text_bytes = static_cast<std::uint32_t>(text.size());
  analysis.label_bytes = static_cast<std::uint32_t>(std::min(item.label_bytes, text.size()));
  if (!item.call.empty()) {
    analysis.call = hash_term(item.call);
    analysis.subject = subject_of(item.call);
  }
  analysis.language = item.language ? *item.language : detect_language(text);

  const std::string_view body = text.substr(analysis.label_bytes);
  analysis.short_turn = is_short_turn(item, body);
  TextStructure structure = structure_of(item, body, analysis.short_turn);
  analysis.format = structure.format;
  analysis.atoms = std::move(structure.atoms);
  for (Atom& atom : analysis.atoms) {
    atom.begin += analysis.label_bytes;
    atom.end += analysis.label_bytes;
  }
  cut_chunks(analysis.atoms, analysis.chunks);

  const auto content_terms = [&](std::string_view words) {
    std::vector<TermOccurrence> found;
    analyzer.analyze(words, analysis.language, 0, found);
    std::vector<Term> terms;
    for (const TermOccurrence& occurrence : found)
      if ((occurrence.flags & term_function) == 0) terms.push_back(occurrence.term);
    return terms;
  };
  analysis.title = content_terms(item.title.substr(0, utf8::floor_boundary(item.title, most_title_bytes)));
  if (item.call.size() <= longest_named_call) analysis.asked = content_terms(item.call);
  const ItemTerms terms = collect_terms(text, analysis, analyzer);
  remove_said(terms, analysis.asked);
  if (item.time) {
    const std::vector<Term> time = terms_of_time(*item.time);
    analysis.asked.insert(analysis.asked.end(), time.begin(), time.end());
  }
  intern(terms, analysis);
  build_postings(analysis);
  return analysis;
}

}  // namespace ctxmgr::engine
