#include "engine/words/asking.hpp"

#include <algorithm>
#include <iterator>
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

/// Words that want something, wherever they stand.
constexpr std::string_view polite_words[] = {
    // English, German, French, Spanish, Portuguese, Italian
    "please", "i need", "i want", "i'd like", "let me know", "bitte", "ich brauche", "ich möchte", "ich hätte gern",
    "s'il te plaît", "s'il vous plaît", "j'ai besoin", "je voudrais", "je veux", "por favor", "necesito", "quiero",
    "preciso", "quero", "per favore", "per piacere", "vorrei", "voglio", "ho bisogno",
    // Dutch, Polish, Romanian, Turkish, Swedish, Norwegian, Danish, Finnish
    "alsjeblieft", "alstublieft", "ik wil", "proszę", "potrzebuję", "te rog", "vă rog", "lütfen", "snälla",
    "jag behöver", "vær så snill", "jeg trenger", "vær venlig", "jeg har brug for", "ole hyvä", "tarvitsen",
    // Russian, Greek, Hindi, Arabic, Vietnamese
    "пожалуйста", "мне нужно", "мне нужен", "παρακαλώ", "χρειάζομαι", "कृपया", "من فضلك", "làm ơn", "vui lòng"};

/// The same where words are not set apart by blanks.
constexpr std::string_view polite_parts[] = {"请", "請", "ください", "下さい", "お願い", "주세요", "กรุณา", "โปรด"};

/// Verbs that want something done where a sentence begins with them.
constexpr std::string_view request_verbs[] = {
    // English
    "add", "answer", "book", "buy", "calculate", "call", "change", "check", "compare", "compose", "compute", "convert",
    "correct", "count", "create", "describe", "draft", "email", "estimate", "explain", "extract", "fill", "find", "fix",
    "generate", "give", "help", "list", "look up", "make", "order", "outline", "pick", "plan", "prepare", "propose",
    "put", "read", "recommend", "remove", "rephrase", "reply", "reserve", "rewrite", "schedule", "send", "shorten",
    "show", "sort", "suggest", "sum up", "summarise", "summarize", "tell", "translate", "turn", "update", "use",
    "write",
    // German
    "beantworte", "berechne", "beschreib", "beschreibe", "buch", "buche", "entwirf", "ergänze", "erkläre", "erklär",
    "erstell", "erstelle", "fass", "fasse", "finde", "formuliere", "füge", "kürze", "liste", "mach", "nimm", "ordne",
    "plane", "prüfe", "reserviere", "schick", "schicke", "schlag", "schreib", "schreibe", "sortiere", "such", "suche",
    "trag", "übersetz", "übersetze", "vergleich", "vergleiche", "zähl", "zeig",
    // French
    "ajoute", "ajoutez", "calcule", "calculez", "compare", "comparez", "corrige", "corrigez", "crée", "créez", "décris",
    "décrivez", "donne", "donnez", "écris", "écrivez", "énumère", "énumérez", "envoie", "envoyez", "explique",
    "expliquez", "fais", "faites", "liste", "listez", "prépare", "préparez", "propose", "proposez", "rédige", "rédigez",
    "réserve", "réservez", "résume", "résumez", "traduis", "traduisez", "trouve", "trouvez",
    // Spanish, Portuguese
    "añade", "busca", "busque", "calcula", "calcule", "compara", "compare", "corrige", "crea", "describe", "descreva",
    "encuentra", "encontre", "envía", "envie", "enumera", "escribe", "escriba", "escreva", "explica", "explique", "haz",
    "haga", "faça", "lista", "liste", "prepara", "prepare", "redacta", "redija", "reserva", "reserve", "resume",
    "resuma", "sugiere", "sugira", "traduce", "traduzca", "traduza",
    // Italian, Dutch
    "aggiungi", "calcola", "cerca", "confronta", "correggi", "crea", "descrivi", "elenca", "fai", "invia", "prenota",
    "prepara", "proponi", "riassumi", "scrivi", "spiega", "suggerisci", "traduci", "trova", "beschrijf", "boek", "geef",
    "maak", "reken", "schrijf", "stuur", "vat", "vergelijk", "vertaal", "zoek",
    // Swedish, Danish, Norwegian, Finnish, Russian
    "beskriv", "boka", "bestil", "bestill", "förklara", "forklar", "gör", "jämför", "lag", "lav", "sammanfatta",
    "sammenlign", "opsummer", "oppsummer", "oversæt", "oversett", "översätt", "skicka", "skriv", "etsi", "kirjoita",
    "käännä", "selitä", "tee", "tiivistä", "varaa", "vertaa", "забронируй", "забронируйте", "найди", "найдите",
    "напиши", "напишите", "объясни", "объясните", "опиши", "опишите", "переведи", "переведите", "перечисли",
    "перечислите", "подготовь", "покажи", "покажите", "сделай", "сделайте", "составь", "составьте", "сравни",
    "сравните"};

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

bool wants_politely_in(std::string_view piece) {
  auto text = fold_case(piece);
  // "请求" is a request that is told of.
  for (const std::string_view told : {"请求", "請求"})
    for (auto at = text.find(told); at != std::string::npos; at = text.find(told)) text.erase(at, told.size());
  const auto has = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  return std::any_of(std::begin(polite_words), std::end(polite_words),
                     [&text](std::string_view word) { return stands(text, word); }) ||
         std::any_of(std::begin(polite_parts), std::end(polite_parts), has);
}

bool requests_in(std::string_view piece) {
  const auto text = fold_case(piece);
  return wants_politely_in(piece) ||
         std::any_of(std::begin(request_verbs), std::end(request_verbs),
                     [&text](std::string_view word) { return begins_sentence(text, word); });
}

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

/// Of a text that is too long, its ends.
template <typename Holds>
bool holds_at_an_end(std::string_view text, const Holds& holds) {
  if (text.size() <= 2 * longest_read) return holds(text);
  return holds(text.substr(0, longest_read)) || holds(text.substr(text.size() - longest_read));
}

}  // namespace

bool asks(std::string_view text) { return holds_at_an_end(text, asks_in); }

bool wants_politely(std::string_view text) { return holds_at_an_end(text, wants_politely_in); }

bool requests(std::string_view text) { return asks(text) || holds_at_an_end(text, requests_in); }

}  // namespace ctxmgr::engine
