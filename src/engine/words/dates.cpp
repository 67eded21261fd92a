#include "engine/words/dates.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "core/ascii.hpp"
#include "engine/words/figure_tokens.hpp"
#include "engine/words/word_table.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::array month_words = {
    Words<int>{1,
               "january januar janvier enero gennaio janeiro januari ianuarie январь января январе ιανουάριος "
               "ιανουαρίου ocak يناير जनवरी มกราคม tammikuu tammikuun tammikuuta tammikuussa jan ene"},
    Words<int>{2,
               "february februar février febrero febbraio fevereiro februari februarie февраль февраля феврале "
               "φεβρουάριος φεβρουαρίου şubat فبراير फ़रवरी फरवरी กุมภาพันธ์ helmikuu helmikuun helmikuuta "
               "helmikuussa feb"},
    Words<int>{3,
               "march märz mars marts marzo março maart martie март марта марте μάρτιος μαρτίου mart مارس मार्च "
               "มีนาคม maaliskuu maaliskuun maaliskuuta maaliskuussa mar"},
    Words<int>{4,
               "april avril abril aprile aprilie апрель апреля апреле απρίλιος απριλίου nisan أبريل अप्रैल เมษายน "
               "huhtikuu huhtikuun huhtikuuta huhtikuussa apr abr"},
    Words<int>{5,
               "may mai maj mayo maggio maio mei май мая мае μάιος μαΐου mayıs مايو मई พฤษภาคม toukokuu toukokuun "
               "toukokuuta toukokuussa"},
    Words<int>{6,
               "june juni juin junio giugno junho iunie июнь июня июне ιούνιος ιουνίου haziran يونيو जून มิถุนายน "
               "kesäkuu kesäkuun kesäkuuta kesäkuussa jun"},
    Words<int>{7,
               "july juli juillet julio luglio julho iulie июль июля июле ιούλιος ιουλίου temmuz يوليو जुलाई กรกฎาคม "
               "heinäkuu heinäkuun heinäkuuta heinäkuussa jul"},
    Words<int>{8,
               "august août agosto augustus augusti август августа августе αύγουστος αυγούστου ağustos أغسطس अगस्त "
               "สิงหาคม elokuu elokuun elokuuta elokuussa aug ago"},
    Words<int>{9,
               "september septembre septiembre setiembre settembre setembro septembrie сентябрь сентября сентябре "
               "σεπτέμβριος σεπτεμβρίου eylül سبتمبر सितंबर กันยายน syyskuu syyskuun syyskuuta syyskuussa sep sept"},
    Words<int>{10,
               "october oktober octobre octubre ottobre outubro octombrie октябрь октября октябре οκτώβριος "
               "οκτωβρίου ekim أكتوبر अक्टूबर ตุลาคม lokakuu lokakuun lokakuuta lokakuussa oct okt"},
    Words<int>{11,
               "november novembre noviembre novembro noiembrie ноябрь ноября ноябре νοέμβριος νοεμβρίου kasım نوفمبر "
               "नवंबर พฤศจิกายน marraskuu marraskuun marraskuuta marraskuussa nov"},
    Words<int>{12,
               "december dezember desember décembre diciembre dicembre dezembro decembrie декабрь декабря декабре "
               "δεκέμβριος δεκεμβρίου aralık ديسمبر दिसंबर ธันวาคม joulukuu joulukuun joulukuuta joulukuussa dec dez "
               "dic"},
};
constexpr std::string_view plain_months = " may march mars mai mei mayo mart mar mon ene ago май мая ";

int to_int(std::string_view digits) {
  int value = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

bool is_year(int value) { return value >= 1000 && value <= 2999; }
bool is_day(int value) { return value >= 1 && value <= 31; }
bool is_month(int value) { return value >= 1 && value <= 12; }

bool is_plain_month(std::string_view folded) {
  return plain_months.find(" " + std::string(folded) + " ") != std::string_view::npos;
}

/// "2024-03-12", "12.03.2024", "3/12/24": every way to read it.
std::vector<Date> written_dates(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find_first_of("-./", at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto are_digits = [](std::string_view part) {
    return !part.empty() && part.size() <= 4 && std::all_of(part.begin(), part.end(), ascii::is_digit);
  };
  if (parts.size() != 3 || !std::all_of(parts.begin(), parts.end(), are_digits)) return {};
  const int a = to_int(parts[0]), b = to_int(parts[1]), c = to_int(parts[2]);
  if (is_year(a)) return is_month(b) && is_day(c) ? std::vector<Date>{{a, b, c}} : std::vector<Date>{};
  if (parts[2].size() != 4 && (parts[2].size() != 2 || text.find('/') == std::string_view::npos)) return {};
  const int year = c < 100 ? 2000 + c : c;
  std::vector<Date> dates;
  if (!is_year(year)) return dates;
  if (is_day(a) && is_month(b)) dates.push_back({year, b, a});
  if (text.find('.') == std::string_view::npos && is_month(a) && is_day(b) && a != b) dates.push_back({year, a, b});
  return dates;
}

/// The dates among the tokens of a text, from its start to its end.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : tokens_(figure_tokens(text)) {}

  std::vector<Date> read() {
    while (at_ < tokens_.size()) {
      if (!date()) ++at_;
    }
    return std::move(dates_);
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t ahead) const {
    return at_ + ahead < tokens_.size() ? std::string_view(tokens_[at_ + ahead].folded) : std::string_view();
  }
  /// The number at a place, if it is one of few digits, with the ending of a rank perhaps ("1st", "1er"); else 0.
  [[nodiscard]] int number(std::size_t ahead) const {
    const auto text = word(ahead);
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    if (end == text.size()) return end <= 4 ? to_int(text) : 0;
    const auto tail = text.substr(end);
    return end <= 2 && (tail == "st" || tail == "nd" || tail == "rd" || tail == "th" || tail == "er") ? to_int(text)
                                                                                                      : 0;
  }
  bool add(Date date, std::size_t count) {
    dates_.push_back(date);
    at_ += count;
    return true;
  }

  bool date() {
    if (const auto dates = written_dates(without_ending(word(0))); !dates.empty()) {
      dates_.insert(dates_.end(), dates.begin(), dates.end());
      return ++at_, true;
    }
    if (const int month = month_of(without_ending(word(0)))) return month_first(month);
    const int first = number(0);
    if (first == 0) return false;
    if (word(1) == "年" && is_month(number(2)) && word(3) == "月") {
      const bool day = is_day(number(4)) && (word(5) == "日" || word(5) == "号");
      return add({first, number(2), day ? number(4) : 0}, day ? 6 : 4);
    }
    if (word(1) == "月" && is_day(number(2)) && word(3) == "日") return add({0, first, number(2)}, 4);
    return is_day(first) && day_first(first);
  }

  /// "12 March 2024", "3 de agosto de 2024".
  bool day_first(int day) {
    std::size_t next = 1;
    if (word(next) == "de" || word(next) == "of" || word(next) == "d") ++next;
    const int month = month_of(without_ending(word(next)));
    return month != 0 && add_with_year({0, month, day}, next + 1);
  }

  /// "March 12, 2024", "March 2024", "March".
  bool month_first(int month) {
    const auto& token = tokens_[at_];
    const bool plain = is_plain_month(token.folded);
    if (is_day(number(1)) && (!plain || token.capital)) return add_with_year({0, month, number(1)}, 2);
    if (is_year(number(1))) return add({number(1), month, 0}, 2);
    if (plain && (!token.capital || token.starts_sentence)) return false;
    return add_with_year({0, month, 0}, 1);
  }

  bool add_with_year(Date date, std::size_t count) {
    std::size_t next = count;
    if (word(next) == "de" || word(next) == "of") ++next;
    if (is_year(number(next))) date.year = number(next), count = next + 1;
    return add(date, count);
  }

  /// "Mayıs'ta": a word with an ending behind a mark.
  static std::string_view without_ending(std::string_view text) { return text.substr(0, text.find('\'')); }

  std::vector<FigureToken> tokens_;
  std::size_t at_ = 0;
  std::vector<Date> dates_;
};

}  // namespace

std::vector<Date> dates_in(std::string_view text) { return DateReader(text).read(); }

int month_of(std::string_view folded) {
  static const auto table = table_of(month_words);
  const auto found = table.find(std::string(folded));
  return found == table.end() ? 0 : found->second;
}

}  // namespace ctxmgr::engine
