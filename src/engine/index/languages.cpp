#include "engine/index/languages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

struct LanguageWords {
  std::string_view tag;  ///< ISO 639-1
  const char* stemmer;
  std::string_view words;  ///< Folded, separated by single blanks.
};

// The commonest articles, pronouns, prepositions, conjunctions, auxiliaries and question words of each language.
constexpr std::array<LanguageWords, language_count> table = {{
    {"en", "english",
     "a about above after again against all also although am an and any are aren't as at be because been before being "
     "below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down "
     "during each either else ever every few for from further get gets give given gives go got had has have having he "
     "her here hers him his how however i i'd i'll i'm i've if in into is isn't it it's its itself just let let's many "
     "me "
     "might mine more most much must my myself neither no nor not of off often on once one only or other ought our "
     "ours "
     "out over own per please rather same she should since so some such tell than that that's the their theirs them "
     "themselves then there there's these they they're this those though through thus to too under until up upon us "
     "very was wasn't we we're well were what what's when where whether which while who whom whose why will with "
     "within without won't would yes yet you you're your yours yourself s t d ll re ve m"},
    {"de", "german",
     "aber als also am an auch auf aus bei bin bis bist da damit das dass dein dem den denn der des die dies diese "
     "dieser dieses doch du durch ein eine einem einen einer eines er es für hat habe haben hatte ich ihm ihn ihr ihre "
     "im in ist ja kann kein keine können man mein mich mir mit muss nach nicht noch nur ob oder ohne sehr sein seine "
     "sich sie sind so soll über um und uns unser unter viel viele vielen vom von vor war waren warum was wenn wer "
     "werden wie wir wird "
     "wo "
     "wurde zu zum zur"},
    {"fr", "french",
     "ai au aux avec avez avons c ce ces cette combien comme comment d dans de des du elle elles en est et être eu il "
     "ils j je "
     "l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas plus pour pourquoi "
     "qu quand que quel quelle quelles quels qui quoi s sa sans se ses son sont sur t ta te tes toi ton tu un une vos "
     "votre vous y été était"},
    {"es", "spanish",
     "a al algo como con cual cuando cuál cuánta cuántas cuánto cuántos cómo de del desde donde dónde e el ella ellos "
     "en entre era es esa ese eso "
     "esta estas este esto está están fue ha hay la las le les lo los me mi mucha muchas mucho muchos muy más no nos o "
     "para pero por "
     "porque "
     "que quien quién qué se ser si sin sobre son su sus también te tiene tu un una uno unos y ya yo él"},
    {"it", "italian",
     "a ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e ed era fra gli "
     "ha "
     "hanno ho i il in io la le lei lo loro lui ma mi mia mio nei nel nella noi non o per perché più quale quali "
     "quando "
     "quanta quante quanti quanto questa questo se sei si sia sono su sua sul sulla suo ti tra tu un una uno voi è"},
    {"pt", "portuguese",
     "a ao aos as até com como da das de dela dele do dos e ela ele eles em entre era essa esse esta este está eu foi "
     "isso isto já lhe mais mas me meu minha muito na nas não nem no nos nós num numa o onde os ou para pela pelo por "
     "porque qual quando quanta quantas quanto quantos que quem se sem ser seu sua são também te tem um uma você à é"},
    {"nl", "dutch",
     "aan als bij dan dat de deze die dit door een en er had heb heeft het hij hoe hoeveel hun ik in is je kan maar me "
     "meer "
     "met "
     "mijn moet naar niet nog nu of om onder ons ook op over te tegen tot uit van veel voor waar waarom was wat we wel "
     "werd wie wij wordt zal ze zich zij zijn zo zou"},
    {"sv", "swedish",
     "alla att av blev bli de dem den denna det detta dig din du där efter ej eller en ett från för ha hade han har "
     "hon "
     "honom hur här i inte jag kan kommer man med men mig min mot mycket ni nu när och om oss på sedan sig sin ska "
     "skulle som så till under upp ut var varför vad vara vem vi vid vill än är över"},
    {"da", "danish",
     "af alle at blev blive da de dem den denne der det dette dig din du efter eller en er et for fra ham han har "
     "havde "
     "hende hos hun hvad hvem hvis hvor hvorfor i ikke ind jeg kan kunne man med meget men mig min mod nu når og også "
     "om op os over på sig sin skal skulle som til ud under var vi vil ville være"},
    {"no", "norwegian",
     "alle at av ble bli da de deg dem den denne der det dette din du eller en er et etter for fra før ha hadde han "
     "har "
     "henne hos hun hva hvem hvis hvor hvorfor hvordan i ikke inn jeg kan kunne man med meg men min mot mye nå når og "
     "også om opp oss over på seg sin skal skulle som så til ut under var vi vil ville være"},
    {"fi", "finnish",
     "ei eivät en että he hän ja jo joka jos kanssa koska kuin kuka kun me mikä miksi minä missä mitä mutta myös ne "
     "niin nyt oli olla olen on ovat se sekä sen siitä sinä tai te tämä vaan vain voi"},
    {"ru", "russian",
     "а без бы был была были было в вам вас во вот все вы где да для до его ее если есть еще же за и из или им их к "
     "как "
     "какой когда кто ли меня мне мы на не него нет но о об он она они от по почему при с сколько со так такой также "
     "то того "
     "только ты у что чтобы эта это этот я"},
}};

using LanguageSet = std::uint32_t;

// All words of the table by their first bytes and their length, in a hash table that is mostly empty: nearly every word of
// a text is asked for, and most are in no list.
class Lookup {
 public:
  Lookup() : slots_(slot_count) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (std::string_view rest = table[i].words; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        Slot& slot = slots_[slot_of(rest.substr(0, end))];
        slot.word = rest.substr(0, end);
        slot.languages |= LanguageSet{1} << i;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }

  LanguageSet find(std::string_view word) const { return slots_[slot_of(word)].languages; }

 private:
  static constexpr std::size_t slot_count = 4096;

  struct Slot {
    std::string_view word;
    LanguageSet languages = 0;
  };

  // Where the word is, or the empty slot where it would be.
  std::size_t slot_of(std::string_view word) const {
    std::uint64_t start = 0;
    std::memcpy(&start, word.data(), std::min(word.size(), sizeof start));
    auto slot = static_cast<std::size_t>(((start ^ word.size()) * 0x9E3779B97F4A7C15U) >> 52);
    while (!slots_[slot].word.empty() && slots_[slot].word != word) slot = (slot + 1) % slot_count;
    return slot;
  }

  std::vector<Slot> slots_;
};

LanguageSet languages_of(std::string_view folded_word) {
  static const Lookup lookup;
  return lookup.find(folded_word);
}

bool is_letter_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '\'';
}

// Whether letters are a piece of a path, an address, a checksum: "ha" of "sha512-ha/8+d==" is no word of any language.
bool is_part_of_name(std::string_view text, std::size_t begin, std::size_t end) {
  const auto joins = [](char c) {
    return (c >= '0' && c <= '9') || std::string_view("_/+=@#\\&%$").find(c) != std::string_view::npos;
  };
  if (begin > 0 && (joins(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '-')) return true;
  if (end >= text.size()) return false;
  const bool goes_on = end + 1 < text.size() && (is_letter_byte(text[end + 1]) || joins(text[end + 1]));
  return joins(text[end]) || (goes_on && (text[end] == '.' || text[end] == '-'));
}

// Cheap folding: ASCII, Latin-1 and Cyrillic capitals as they stand in UTF-8. Enough to recognise function words.
void fold_into(std::string_view word, std::string& folded) {
  folded.assign(word);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    char& c = folded[i];
    c = ascii::lower_case(c);
    if (i + 1 == folded.size()) continue;
    const auto next = static_cast<unsigned char>(folded[i + 1]);
    if (c == '\xC3' && next >= 0x80 && next <= 0x9E) folded[i + 1] = static_cast<char>(next + 0x20);
    if (c == '\xD0' && next >= 0x90 && next <= 0x9F) folded[i + 1] = static_cast<char>(next + 0x20);
    if (c == '\xD0' && next >= 0xA0 && next <= 0xAF) {
      c = '\xD1';
      folded[i + 1] = static_cast<char>(next - 0x20);
    }
  }
}

}  // namespace

const char* stemmer_name(Language language) { return table[static_cast<std::size_t>(language)].stemmer; }

bool is_function_word(std::string_view folded_word, Language language) {
  return (languages_of(folded_word) >> static_cast<unsigned>(language) & 1) != 0;
}

std::optional<Language> recognize_language(std::string_view text) {
  constexpr std::size_t sample_words = 400;
  std::array<std::size_t, language_count> hits{};
  std::array<std::size_t, language_count> last{};  // Words up to the last hit.
  std::string folded;
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size() && words < sample_words;) {
    if (!is_letter_byte(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_letter_byte(text[end])) ++end;
    ++words;
    if (end - i <= 20 && !is_part_of_name(text, i, end)) {
      fold_into(text.substr(i, end - i), folded);
      const LanguageSet languages = languages_of(folded);
      for (std::size_t l = 0; languages != 0 && l < hits.size(); ++l)
        if ((languages >> l & 1) != 0) ++hits[l], last[l] = words;
    }
    i = end;
  }
  const auto best = static_cast<std::size_t>(std::max_element(hits.begin(), hits.end()) - hits.begin());
  // In prose at least every third word is one of these; among names and numbers a few are so by accident.
  const bool sure = hits[best] >= 3 && (best == 0 || (2 * hits[best] >= 3 * hits[0] && 12 * hits[best] >= last[best]));
  return sure ? std::optional(static_cast<Language>(best)) : std::nullopt;
}

Language detect_language(std::string_view text) { return recognize_language(text).value_or(Language::english); }

std::optional<Language> language_of_name(std::string_view name) {
  const std::string_view tag = name.substr(0, name.find('-'));
  for (std::size_t l = 0; l < table.size(); ++l)
    if (name == table[l].stemmer || tag == table[l].tag) return static_cast<Language>(l);
  return tag == "nb" || tag == "nn" ? std::optional(Language::norwegian) : std::nullopt;
}

}  // namespace ctxmgr::engine
