#include "engine/summaries/opposites.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/utf8.hpp"
#include "engine/structure/case_folding.hpp"

namespace ctxmgr::engine {
namespace {

// English, German, Spanish, French, Romanian, Greek, Russian, Turkish, Vietnamese, Arabic, Hindi, Thai, Chinese. A word ends
// at "$"; without it, it is a beginning. In Thai and Chinese, which have no blanks, it may stand anywhere.
constexpr std::string_view rising[] = {
    "grew$",     "grow",    "rose$",   "rise$",    "rises$",     "risen$",  "rising$",     "increas", "up$",   "climb",
    "gestieg",   "stieg",   "steig",   "wuchs",    "gewachsen$", "erhöht",  "zugenommen$", "subi",    "creci", "aument",
    "increment", "augment", "hausse$", "progress", "crescut$",   "crește$", "majorat$",    "αυξ",     "άνοδ",  "ανέβ",
    "вырос",     "выросл",  "увелич",  "возрос",   "рост$",      "поднял",  "arttı$",      "artar",   "artış", "artmış",
    "yüksel",    "büyüdü",  "tăng$",   "ارتفع",    "زاد$",       "زادت$",   "ازداد",       "نما$",    "نمت$",  "बढ़",
    "बढ़",        "वृद्धि",    "เพิ่ม",     "สูงขึ้น",     "增长",       "上升",    "增加",        "上涨",    "提高"};
constexpr std::string_view falling[] = {"fell$",
                                        "fall$",
                                        "falls$",
                                        "fallen$",
                                        "falling$",
                                        "drop",
                                        "declin",
                                        "decreas",
                                        "down$",
                                        "shrank$",
                                        "shrink",
                                        "reduc",
                                        "gesunken$",
                                        "sank$",
                                        "sinkt$",
                                        "gefallen$",
                                        "fiel$",
                                        "fielen$",
                                        "zurückgegangen$",
                                        "verringert",
                                        "abgenommen$",
                                        "bajó$",
                                        "bajaron$",
                                        "cayó$",
                                        "cayeron$",
                                        "disminu",
                                        "descend",
                                        "baiss",
                                        "diminu",
                                        "chut",
                                        "scăzut$",
                                        "scade$",
                                        "coborât$",
                                        "μειώ",
                                        "μείω",
                                        "έπεσ",
                                        "πτώση$",
                                        "упал",
                                        "сниз",
                                        "уменьш",
                                        "сократил",
                                        "паден",
                                        "azal",
                                        "düştü$",
                                        "düşüş",
                                        "geriledi$",
                                        "giảm$",
                                        "انخفض",
                                        "تراجع",
                                        "هبط",
                                        "घट",
                                        "गिर",
                                        "कमी$",
                                        "ลด",
                                        "下降",
                                        "减少",
                                        "下跌",
                                        "降低"};
constexpr std::string_view negating[] = {
    "not$", "no$",      "never$",   "cannot$",    "neither$", "nor$",   "without$", "n't$",  "nicht$",  "kein",
    "nie$", "niemals$", "ohne$",    "nunca$",     "sin$",     "jamás$", "ne$",      "pas$",  "jamais$", "sans$",
    "nu$",  "n-a$",     "n-au$",    "niciodată$", "fără$",    "δεν$",   "δε$",      "μην$",  "χωρίς$",  "ποτέ$",
    "не$",  "нет$",     "никогда$", "без$",       "değil",    "yok$",   "không$",   "chưa$", "chẳng$",  "لا$",
    "لم$",  "لن$",      "ليس",      "ليست$",      "ولم$",     "ولا$",   "بدون$",    "غير$",  "नहीं$",    "नहीं$",
    "मत$",  "बिना$",    "ไม่",       "มิได้",        "不",       "没",     "未",       "無",    "无",      "非"};
/// Say no in words of their own: a summary may put them in the place of "not".
constexpr std::string_view refusing[] = {
    "failed$",   "fails$",    "failing$", "failure", "refus",     "reject",  "denied$", "denies$", "lack",     "miss",
    "exclud",    "unable",    "remain",   "stay",    "unchanged", "prevent", "avoid",   "stop",    "only",     "ablehn",
    "abgelehnt", "verweiger", "fehl",     "rechaz",  "negó$",     "refuz",   "respins", "απέρριψ", "απορρίφθ", "отказ",
    "отклон",    "reddet",    "reddedil", "từ$",     "رفض",       "अस्वीकार", "ปฏิเสธ",   "拒",      "禁"};
// Turkish says no inside of the verb.
constexpr std::string_view turkish_negations[] = {"madı",  "medi",  "mıyor",   "miyor",   "muyor", "müyor",
                                                  "mamış", "memiş", "mayacak", "meyecek", "maz$",  "mez$"};

constexpr double same_statement = 0.6;  // of the words of both clauses
constexpr std::size_t least_words = 2;
constexpr std::size_t longest_text = 200'000;  // bytes; of a longer one the beginning is compared

bool is_unspaced(char32_t c) { return (c >= 0x0E00 && c <= 0x0E7F) || (c >= 0x3040 && c <= 0x9FFF); }

/// A clause of a text, as words; of scripts without blanks pairs of characters.
struct Clause {
  std::string text;  ///< Folded.
  std::vector<std::string> words;
  std::vector<std::string> pairs;
  bool rises = false;
  bool falls = false;
  bool negates = false;
  bool refuses = false;
};

bool begins(std::string_view word, std::string_view listed) {
  if (listed.back() == '$') {
    listed.remove_suffix(1);
    if (listed == "n't") return word.size() > 3 && word.substr(word.size() - 3) == listed;
    return word == listed;
  }
  return word.substr(0, listed.size()) == listed;
}

template <std::size_t Size>
bool has(const Clause& clause, const std::string_view (&list)[Size]) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view listed) {
    if (is_unspaced(utf8::decode(listed, 0).value)) return clause.text.find(listed) != std::string::npos;
    return std::any_of(clause.words.begin(), clause.words.end(),
                       [&](const std::string& word) { return begins(word, listed); });
  });
}

bool says_no_in_turkish(const std::string& word) {
  return std::any_of(std::begin(turkish_negations), std::end(turkish_negations), [&](std::string_view ending) {
    const bool at_end = ending.back() == '$';
    if (at_end) ending.remove_suffix(1);
    const auto at = word.rfind(ending);
    return at != std::string::npos && at >= 3 &&
           (at_end ? at + ending.size() == word.size() : word.size() - at <= ending.size() + 4);
  });
}

void finish(Clause& clause, std::vector<Clause>& clauses) {
  clause.rises = has(clause, rising);
  clause.falls = has(clause, falling);
  clause.negates = has(clause, negating) || std::any_of(clause.words.begin(), clause.words.end(), says_no_in_turkish);
  clause.refuses = has(clause, refusing);
  // What is left is compared: words of some length, and pairs of characters.
  std::erase_if(clause.words, [](const std::string& word) {
    return utf8::count_code_points(word) < 3 && !(word[0] >= '0' && word[0] <= '9');
  });
  clause.words.insert(clause.words.end(), clause.pairs.begin(), clause.pairs.end());
  if (!clause.words.empty()) clauses.push_back(std::move(clause));
  clause = {};
}

bool is_joint(char32_t c) { return c == '\'' || c == 0x2019 || c == '-'; }

bool is_word_code_point(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 0xC0 && !(c >= 0x2000 && c <= 0x206F) && !(c >= 0x3000 && c <= 0x303F) && c < 0xFF00 && c != 0x060C &&
          c != 0x061B && c != 0x061F && c != 0x0964);
}

bool ends_clause(char32_t c) {
  constexpr std::u32string_view ends = U".,;:!?\n()\u2014\u3002\uFF0C\uFF1B\uFF01\uFF1F\u3001\u060C\u061B\u061F\u0964";
  return ends.find(c) != std::u32string_view::npos;
}

std::vector<Clause> clauses_of(std::string_view text) {
  const auto folded = fold_case(text.substr(0, utf8::floor_boundary(text, longest_text)));
  std::vector<Clause> clauses;
  Clause clause;
  std::string word;
  const auto end_word = [&] {
    while (!word.empty() && (word.back() == '\'' || word.back() == '-')) word.pop_back();
    if (!word.empty()) clause.words.push_back(std::move(word));
    word.clear();
  };
  char32_t before = 0;
  for (std::size_t at = 0; at < folded.size();) {
    const auto c = utf8::decode(folded, at);
    const auto next = at + c.bytes < folded.size() ? folded[at + c.bytes] : ' ';
    const bool in_number =
        (c.value == '.' || c.value == ',') && before >= '0' && before <= '9' && next >= '0' && next <= '9';
    if (is_unspaced(c.value)) {
      end_word();
      if (is_unspaced(before)) {
        clause.pairs.emplace_back();
        utf8::append(clause.pairs.back(), before);
        utf8::append(clause.pairs.back(), c.value);
      }
    } else if (is_word_code_point(c.value) || in_number) {
      utf8::append(word, c.value);
    } else if (is_joint(c.value) && !word.empty()) {
      word += c.value == '-' ? '-' : '\'';
    } else {
      end_word();
    }
    if (ends_clause(c.value) && !in_number)
      finish(clause, clauses);
    else
      utf8::append(clause.text, c.value);
    before = c.value;
    at += c.bytes;
  }
  end_word();
  finish(clause, clauses);
  return clauses;
}

/// Endings differ between a summary and its source.
bool same_word(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto shorter = std::min(a.size(), b.size());
  const auto same = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first - a.begin());
  return same >= 4 && same * 10 >= std::max(a.size(), b.size()) * 6;
}

/// The share of a clause's words that another has.
double share(const Clause& of, const Clause& in) {
  const auto found = std::count_if(of.words.begin(), of.words.end(), [&](const std::string& word) {
    return std::any_of(in.words.begin(), in.words.end(),
                       [&](const std::string& other) { return same_word(word, other); });
  });
  return of.words.empty() ? 0 : static_cast<double>(found) / static_cast<double>(of.words.size());
}

/// Whether the source rises where the summary falls, or the other way, and nowhere goes its way.
bool turns_direction(const Clause& clause, const std::vector<Clause>& source) {
  if (clause.rises == clause.falls || clause.negates) return false;
  const auto says = [&](bool rises) {
    return std::any_of(source.begin(), source.end(), [&](const Clause& other) {
      return other.rises != other.falls && other.rises == rises && !other.negates &&
             share(clause, other) >= same_statement / 2;
    });
  };
  return says(!clause.rises) && !says(clause.rises);
}

/// Whether the source denies what the summary says, or the other way, and nowhere says it as the summary does.
bool turns_denial(const Clause& clause, const std::vector<Clause>& source) {
  if (clause.refuses) return false;
  const auto is_about = [&](const Clause& other) {
    return share(clause, other) >= same_statement && share(other, clause) >= same_statement;
  };
  const auto agrees = [&](const Clause& other) { return other.negates == clause.negates || other.refuses; };
  return std::any_of(source.begin(), source.end(), [&](const Clause& c) { return !agrees(c) && is_about(c); }) &&
         std::none_of(source.begin(), source.end(), [&](const Clause& c) { return agrees(c) && is_about(c); });
}

}  // namespace

std::string turned_around(std::string_view summary, std::string_view source) {
  const auto said = clauses_of(source);
  for (const auto& clause : clauses_of(summary)) {
    if (clause.words.size() < least_words) continue;
    if (turns_direction(clause, said) || turns_denial(clause, said)) return clause.text;
  }
  return {};
}

}  // namespace ctxmgr::engine
