#include "engine/index/term_analysis.hpp"

#include <libstemmer.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <functional>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

enum class Kind : std::uint8_t { other, lower, upper, digit, underscore, joiner, apostrophe, ideograph };

constexpr std::array<Kind, 128> make_ascii_kinds() {
  std::array<Kind, 128> kinds{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds[c] = Kind::lower;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) kinds[c] = Kind::upper;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds[c] = Kind::digit;
  kinds['_'] = Kind::underscore;
  for (const char c : {'-', '.', '/', ':', '@', '+', '#'}) kinds[static_cast<unsigned char>(c)] = Kind::joiner;
  kinds['\''] = Kind::apostrophe;
  return kinds;
}
constexpr auto ascii_kinds = make_ascii_kinds();

bool is_word(Kind kind) { return kind >= Kind::lower && kind <= Kind::underscore; }

// Scripts that write words without blanks between them (and Hangul, whose words carry their particles).
bool is_unspaced_script(utf8proc_int32_t c) {
  return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) ||
         (c >= 0x3041 && c <= 0x30FF) || (c >= 0x31F0 && c <= 0x31FF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7AF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

Kind kind_of(utf8proc_int32_t c) {
  if (c == 0x2019) return Kind::apostrophe;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return Kind::upper;
    case UTF8PROC_CATEGORY_LL: return Kind::lower;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC: return is_unspaced_script(c) ? Kind::ideograph : Kind::lower;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return Kind::digit;
    default: return Kind::other;
  }
}

struct Character {
  Kind kind = Kind::other;
  std::size_t bytes = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {ascii_kinds[byte], 1};
  utf8proc_int32_t code_point = 0;
  const auto left = static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size() - at, 4));
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
  const utf8proc_ssize_t length = utf8proc_iterate(bytes, left, &code_point);
  if (length <= 0) return {Kind::other, 1};
  return {kind_of(code_point), static_cast<std::size_t>(length)};
}

bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

std::string map_utf8(std::string_view text, int options) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t length =
      utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(text.size()), &mapped, static_cast<utf8proc_option_t>(options));
  if (length < 0) return std::string(text);
  std::string result(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
  std::free(mapped);  // NOLINT: the library allocates with malloc
  return result;
}

std::string case_folded(std::string_view word) {
  if (!is_ascii(word)) return map_utf8(word, UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  return ascii::lower_case(std::string(word));
}

// Stemmers need the accents; matching is better without.
std::string strip_marks(std::string stem) {
  if (is_ascii(stem)) return stem;
  return map_utf8(stem, UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK | UTF8PROC_COMPAT);
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return static_cast<std::size_t>(hash_term(text)); }
};

struct RunTerm {
  Term term;
  std::uint8_t flags;
};

struct StemmerDelete {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

constexpr std::size_t longest_run = 160;  // bytes; longer ones (base64, hashes) are one opaque identifier
constexpr std::size_t most_memo_words = 1 << 17;

}  // namespace

Term hash_term(std::string_view text) {
  // FNV-1a over 8 bytes at a time with a final mix (murmur3 finaliser): collisions are of no consequence below 2^32 terms.
  std::uint64_t hash = 0xcbf29ce484222325U ^ (text.size() * 0x9E3779B97F4A7C15U);
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) word |= std::uint64_t{static_cast<unsigned char>(text[i + b])} << (8 * b);
    hash = (hash ^ word) * 0x9FB21C651E98DF25U;
    hash ^= hash >> 32;
  }
  for (; i < text.size(); ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3U;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdU;
  hash ^= hash >> 33;
  return hash;
}

struct TermAnalyzer::Memo {
  using Runs = std::unordered_map<std::string, std::vector<RunTerm>, TextHash, std::equal_to<>>;
  std::array<Runs, language_count> runs;
  std::vector<RunTerm> opaque;  ///< Of the last overlong run, which is not worth remembering.
  std::array<std::unique_ptr<sb_stemmer, StemmerDelete>, language_count> stemmers;

  std::string stem(std::string_view folded, Language language) {
    auto& stemmer = stemmers[static_cast<std::size_t>(language)];
    if (!stemmer) stemmer.reset(sb_stemmer_new(stemmer_name(language), "UTF_8"));
    if (!stemmer) return std::string(folded);
    const auto* symbols = reinterpret_cast<const sb_symbol*>(folded.data());
    const sb_symbol* stemmed = sb_stemmer_stem(stemmer.get(), symbols, static_cast<int>(folded.size()));
    if (stemmed == nullptr) return std::string(folded);
    return {reinterpret_cast<const char*>(stemmed), static_cast<std::size_t>(sb_stemmer_length(stemmer.get()))};
  }

  RunTerm word_term(std::string_view word, Language language, bool stemmed) {
    const std::string folded = case_folded(word);
    std::uint8_t flags = is_function_word(folded, language) ? term_function : term_plain;
    const Kind first = character_at(word, 0).kind;
    if (first == Kind::upper) flags |= term_capital;
    if (first == Kind::digit) flags |= term_number;
    return {hash_term(strip_marks(stemmed ? stem(folded, language) : folded)), flags};
  }

  const std::vector<RunTerm>& terms_of_run(std::string_view run, Language language);
};

namespace {

// Where a word splits further: camelCase, letters to digits and back, underscores.
std::vector<std::string_view> parts_of(std::string_view word) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  Kind before = Kind::other;
  for (std::size_t at = 0; at < word.size();) {
    const Character here = character_at(word, at);
    const bool camel = here.kind == Kind::upper && before == Kind::lower;
    const bool digits = (here.kind == Kind::digit) != (before == Kind::digit);
    // "HTTPServer": the last capital belongs to the word that follows.
    const bool acronym = here.kind == Kind::lower && before == Kind::upper && at - start > 1;
    if (here.kind == Kind::underscore || (at > start && (camel || digits || acronym))) {
      std::size_t cut = at;
      if (acronym && here.kind != Kind::underscore && !camel && !digits) {
        do --cut;
        while (cut > start && (static_cast<unsigned char>(word[cut]) & 0xC0U) == 0x80);
      }
      if (cut > start) parts.push_back(word.substr(start, cut - start));
      start = here.kind == Kind::underscore ? at + here.bytes : cut;
    }
    before = here.kind == Kind::underscore ? Kind::other : here.kind;
    at += here.bytes;
  }
  if (start < word.size()) parts.push_back(word.substr(start));
  return parts;
}

struct RunShape {
  std::vector<std::string_view> words;  ///< Between joiners.
  bool has_digit = false;
  bool has_letter = false;
  bool has_underscore = false;
  bool has_apostrophe = false;
  bool has_strong_joiner = false;  ///< Any but '-'.
};

RunShape shape_of_run(std::string_view run) {
  RunShape shape;
  std::size_t start = 0;
  for (std::size_t at = 0; at < run.size();) {
    const Character here = character_at(run, at);
    shape.has_digit |= here.kind == Kind::digit;
    shape.has_letter |= here.kind == Kind::lower || here.kind == Kind::upper;
    shape.has_underscore |= here.kind == Kind::underscore;
    if (here.kind == Kind::joiner || here.kind == Kind::apostrophe) {
      if (at > start) shape.words.push_back(run.substr(start, at - start));
      start = at + here.bytes;
      shape.has_apostrophe |= here.kind == Kind::apostrophe;
      shape.has_strong_joiner |= here.kind == Kind::joiner && run[at] != '-';
    }
    at += here.bytes;
  }
  if (start < run.size()) shape.words.push_back(run.substr(start));
  return shape;
}

bool is_of_identifier(const RunShape& shape, std::string_view run) {
  if (shape.has_underscore && run.size() > 2) return true;
  if (shape.has_digit && shape.has_letter) return true;
  if (shape.has_digit) return run.size() >= 5;
  return shape.has_strong_joiner && shape.words.size() > 1;
}

}  // namespace

const std::vector<RunTerm>& TermAnalyzer::Memo::terms_of_run(std::string_view run, Language language) {
  Runs& known = runs[static_cast<std::size_t>(language)];
  if (const auto found = known.find(run); found != known.end()) return found->second;
  if (known.size() >= most_memo_words) known.clear();

  std::vector<RunTerm> terms;
  if (run.size() > longest_run) {
    opaque.assign(1, {hash_term(run), term_identifier});
    return opaque;
  }
  const RunShape shape = shape_of_run(run);
  if (shape.has_apostrophe && is_function_word(case_folded(run), language)) {
    terms.push_back({hash_term(case_folded(run)), term_function});
    return known.emplace(std::string(run), std::move(terms)).first->second;
  }
  const bool identifier = is_of_identifier(shape, run);
  if (identifier) {
    RunTerm whole = word_term(run, language, false);
    whole.flags = static_cast<std::uint8_t>((whole.flags & (term_capital | term_number)) | term_identifier);
    terms.push_back(whole);
  }
  for (const std::string_view word : shape.words) {
    const std::vector<std::string_view> parts = parts_of(word);
    if (identifier && shape.words.size() == 1 && parts.size() == 1) break;
    if (parts.size() > 1 && shape.words.size() > 1) {
      RunTerm whole = word_term(word, language, false);
      whole.flags |= term_part;
      terms.push_back(whole);
    } else if (parts.size() > 1 && !identifier) {  // camelCase without digits
      RunTerm whole = word_term(word, language, false);
      terms.push_back(whole);
    }
    for (const std::string_view part : parts) {
      RunTerm term = word_term(part, language, true);
      if (identifier || parts.size() > 1) term.flags |= term_part;
      terms.push_back(term);
    }
  }
  return known.emplace(std::string(run), std::move(terms)).first->second;
}

TermAnalyzer::TermAnalyzer() : memo_(std::make_unique<Memo>()) {}
TermAnalyzer::~TermAnalyzer() = default;
TermAnalyzer::TermAnalyzer(TermAnalyzer&&) noexcept = default;
TermAnalyzer& TermAnalyzer::operator=(TermAnalyzer&&) noexcept = default;

namespace {

// End of the run that starts at `at`: word characters, and single joiners between two of them.
std::size_t run_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()) {
    const Character here = character_at(text, end);
    if (is_word(here.kind)) {
      end += here.bytes;
      continue;
    }
    if (here.kind != Kind::joiner && here.kind != Kind::apostrophe) break;
    const std::size_t next = end + here.bytes;
    if (next >= text.size() || !is_word(character_at(text, next).kind)) break;
    end = next;
  }
  return end;
}

std::size_t add_ideographs(std::string_view text, std::size_t at, std::size_t base, std::vector<TermOccurrence>& out) {
  std::size_t before = at;
  std::size_t end = at + character_at(text, at).bytes;
  bool pair = false;
  while (end < text.size()) {
    const Character here = character_at(text, end);
    if (here.kind != Kind::ideograph) break;
    const std::size_t next = end + here.bytes;
    out.push_back(
        {hash_term(text.substr(before, next - before)), static_cast<std::uint32_t>(base + before), term_plain});
    pair = true;
    before = end;
    end = next;
  }
  if (!pair) out.push_back({hash_term(text.substr(at, end - at)), static_cast<std::uint32_t>(base + at), term_plain});
  return end;
}

}  // namespace

void TermAnalyzer::analyze(std::string_view text, Language language, std::size_t base,
                           std::vector<TermOccurrence>& out) {
  for (std::size_t at = 0; at < text.size();) {
    const Character here = character_at(text, at);
    if (here.kind == Kind::ideograph) {
      at = add_ideographs(text, at, base, out);
    } else if (is_word(here.kind)) {
      const std::size_t end = run_end(text, at);
      for (const RunTerm& term : memo_->terms_of_run(text.substr(at, end - at), language))
        out.push_back({term.term, static_cast<std::uint32_t>(base + at), term.flags});
      at = end;
    } else {
      at += here.bytes;
    }
  }
}

}  // namespace ctxmgr::engine
