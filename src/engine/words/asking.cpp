#include "engine/words/asking.hpp"

#include <string>

#include "engine/structure/case_folding.hpp"

namespace ctxmgr::engine {
namespace {

/// ASCII, Spanish, Greek, Arabic, full width, Armenian, Ethiopic; where a question ends or begins.
constexpr std::string_view marks[] = {"?", "\u00bf", "\u037e", "\u061f", "\uff1f", "\u055e", "\u1367"};

/// Words that stand alone, and beginnings of words where a language bends them (with "*").
constexpr std::string_view words[] = {
    // English
    "before", "again", "earlier", "previous", "previously", "first time", "last time", "remind", "recall", "remember",
    "once more", "at first", "at the beginning", "so far", "originally", "already", "tell me", "show me", "repeat",
    "quote",
    // German
    "vorher", "nochmal", "noch mal", "noch einmal", "vorhin", "früher", "zuvor", "erinner*", "letztes mal", "am anfang",
    "bisher", "zuerst", "wieder", "bereits", "sag mir", "sagen sie mir", "zeig mir", "zeigen sie mir", "wiederhol*",
    "zitier*",
    // Spanish, Portuguese, Italian, French
    "antes", "otra vez", "de nuevo", "anterior*", "la última vez", "recuerd*", "recuérd*", "novamente", "de novo",
    "lembr*", "prima", "di nuovo", "ancora una volta", "precedente*", "ricord*", "avant", "encore une fois",
    "de nouveau", "précédemment", "plus tôt", "tout à l'heure", "rappel*", "la dernière fois", "au début", "déjà",
    "dime", "dígame", "muéstrame", "repite", "repita", "diga-me", "me diga", "mostre-me", "me mostre", "repete",
    "dimmi", "mi dica", "mostrami", "ripeti", "dis-moi", "dites-moi", "montre-moi", "montrez-moi", "répète*", "répétez",
    // Romanian, Turkish, Dutch, Polish
    "înainte", "din nou", "mai devreme", "anterioar*", "önce*", "tekrar", "yine", "daha önce", "hatırla*", "eerder",
    "nogmaals", "opnieuw", "daarvoor", "vorige", "wcześniej", "ponownie", "jeszcze raz", "poprzedni*", "przypomnij",
    // Russian, Greek
    "раньше", "снова", "ещё раз", "еще раз", "прежде", "напомн*", "ранее", "πριν", "ξανά", "προηγούμεν*", "νωρίτερα",
    "θύμισ*",
    // Hindi, Arabic, Vietnamese
    "पहले", "फिर से", "दोबारा", "قبل", "سابقا", "مرة أخرى", "trước đó", "lần nữa", "lúc nãy", "nhắc lại"};

/// Where words are not set apart by blanks.
constexpr std::string_view parts[] = {"之前",   "刚才",   "再次",   "以前",  "先前",     "上次", "一开始",
                                      "还记得", "さっき", "以前",   "前に",  "もう一度", "再び", "最初",
                                      "先ほど", "前回",   "思い出", "이전",  "아까",     "다시", "전에",
                                      "처음",   "지난번", "ก่อนหน้า", "อีกครั้ง", "เมื่อกี้"};

/// Words that ask where a sentence begins with them, in the languages that have a stemmer. Elsewhere they are nouns, or what
/// somebody told or was given.
constexpr std::string_view first_words[] = {
    // English, German
    "name", "give me", "cite", "nenn", "nenne", "nennen sie", "gib mir", "geben sie mir",
    // French, Spanish, Italian, Portuguese
    "cite", "citez", "nomme", "nommez", "donne-moi", "donnez-moi", "cita", "nombra", "dame", "deme", "citi", "nomina",
    "dammi", "mi dia", "nomeie", "dê-me", "me dê",
    // Dutch, Swedish, Danish, Norwegian
    "noem", "citeer", "herhaal", "geef me", "geef mij", "zeg me", "vertel me", "laat me zien", "herinner me", "nämn",
    "citera", "upprepa", "ge mig", "säg mig", "berätta", "visa mig", "påminn mig", "nævn", "citer", "gentag", "giv mig",
    "sig mig", "fortæl mig", "vis mig", "mind mig", "nevn", "siter", "gjenta", "gi meg", "si meg", "fortell meg",
    "vis meg", "minn meg",
    // Finnish, Russian
    "nimeä", "mainitse", "siteeraa", "toista", "anna minulle", "kerro", "näytä minulle", "muistuta minua", "назови",
    "назовите", "процитируй", "процитируйте", "повтори", "повторите", "дай мне", "дайте мне", "скажи", "скажите",
    "покажи мне", "покажите мне"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool stands(std::string_view text, std::string_view word) {
  const bool is_stem = word.back() == '*';
  if (is_stem) word.remove_suffix(1);
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (is_stem || end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

bool ends_sentence(std::string_view before) {
  constexpr std::string_view exclamation = "\u00a1";
  if (before.ends_with(exclamation)) before.remove_suffix(exclamation.size());
  const auto last = before.find_last_not_of(" \t\"'(*->");
  if (last == std::string_view::npos || before[last] == '\n') return true;
  return last + 1 < before.size() && std::string_view(".!:;").find(before[last]) != std::string_view::npos;
}

/// What follows is a word, too: "name: x" and "name = x" are no requests.
bool begins_sentence(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto after = text.substr(at + word.size());
    const auto next = after.find_first_not_of(" \t\"'(");
    if (next != 0 && next != std::string_view::npos && is_letter(after[next]) && ends_sentence(text.substr(0, at)))
      return true;
  }
  return false;
}

constexpr std::size_t longest_read = 4'000;  // Bytes at each end: who pastes more asks before or behind it.

bool asks_in(std::string_view piece) {
  for (const auto mark : marks)
    if (piece.find(mark) != std::string_view::npos) return true;
  const auto text = fold_case(piece);
  for (const auto word : words)
    if (stands(text, word)) return true;
  for (const auto word : first_words)
    if (begins_sentence(text, word)) return true;
  for (const auto part : parts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

bool asks(std::string_view text) {
  if (text.size() <= 2 * longest_read) return asks_in(text);
  return asks_in(text.substr(0, longest_read)) || asks_in(text.substr(text.size() - longest_read));
}

}  // namespace ctxmgr::engine
