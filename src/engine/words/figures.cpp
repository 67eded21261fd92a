#include "engine/words/figures.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/ascii.hpp"
#include "core/real_number.hpp"
#include "engine/words/figure_tokens.hpp"

namespace ctxmgr::engine {
namespace {

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

int to_int(std::string_view digits) {
  int value = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::vector<std::string_view> split_at_marks(std::string_view text, std::string_view marks) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find_first_of(marks, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool are_numbers(const std::vector<std::string_view>& parts) {
  return std::all_of(parts.begin(), parts.end(), is_all_digits);
}

double to_double(std::string_view digits) { return read_real(digits).value_or(0); }

/// Digits with points and commas, read as groups of thousands, as decimals, or as both where both are possible.
std::vector<double> number_readings(std::string_view text) {
  const auto parts = split_at_marks(text, ".,'");
  if (!are_numbers(parts) || parts[0].size() > 15) return {};
  std::string digits;
  for (const auto part : parts) digits += part;
  if (parts.size() == 1) return {to_double(digits)};
  const bool groups = parts[0].size() <= 3 && std::all_of(parts.begin() + 1, parts.end(),
                                                          [](std::string_view part) { return part.size() == 3; });
  const auto last = text.find_last_of(".,'");
  const auto first = text.find_first_of(".,'");
  const auto fraction = parts.back().size();
  const auto decimal = digits.substr(0, digits.size() - fraction) + "." + digits.substr(digits.size() - fraction);
  std::vector<double> readings;
  if (groups && std::count(text.begin(), text.end(), text[first]) == static_cast<std::ptrdiff_t>(parts.size() - 1))
    readings.push_back(to_double(digits));
  if (text[last] != '\'' && (parts.size() == 2 || text[first] != text[last])) readings.push_back(to_double(decimal));
  return readings;
}

bool is_year(int value) { return value >= 1000 && value <= 2999; }
bool is_day(int value) { return value >= 1 && value <= 31; }
bool is_month(int value) { return value >= 1 && value <= 12; }

/// "2024-03-12", "12.03.2024", "3/12/24": every way to read it.
std::vector<Date> written_dates(std::string_view text) {
  const auto parts = split_at_marks(text, "-./");
  if (parts.size() != 3 || !are_numbers(parts) || parts[0].size() > 4 || parts[2].size() > 4) return {};
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

/// The tokens of a text as figures and names, from its start to its end.
class FigureReader {
 public:
  explicit FigureReader(std::string_view text) : tokens_(figure_tokens(text)) {}

  Figures read() {
    while (at_ < tokens_.size()) {
      if (!date() && !time() && !number() && !number_in_words() && !ideographs()) name();
    }
    for (const auto& token : tokens_) {
      if (token.after_blank) out_.folded += ' ';
      out_.folded += token.folded;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view folded(std::size_t ahead) const {
    return at_ + ahead < tokens_.size() ? std::string_view(tokens_[at_ + ahead].folded) : std::string_view();
  }
  /// The number at a place, if it is one of few digits; else 0.
  [[nodiscard]] int small(std::size_t ahead) const {
    const auto text = folded(ahead);
    return is_all_digits(text) && text.size() <= 4 ? to_int(text) : 0;
  }

  /// The same of a number that may have the ending of a rank: "1st", "1er".
  [[nodiscard]] int ranked(std::size_t ahead) const {
    const auto text = folded(ahead);
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    return end > 0 && end <= 2 && (end == text.size() || is_ordinal(text.substr(end))) ? to_int(text.substr(0, end))
                                                                                       : small(ahead);
  }

  void add(Figure figure, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) figure.text += (i > 0 ? " " : "") + tokens_[at_ + i].folded;
    out_.figures.push_back(std::move(figure));
    at_ += count;
  }
  bool add_dates(std::vector<Date> dates, std::size_t count, bool sure = true) {
    if (dates.empty()) return false;
    Figure figure;
    figure.dates = std::move(dates);
    figure.is_sure = sure;
    add(std::move(figure), count);
    return true;
  }

  bool date() {
    if (add_dates(written_dates(without_suffix(folded(0))), 1)) return true;
    if (const int month = month_of(without_suffix(folded(0)))) return month_first(month);
    const int first = ranked(0);
    if (first == 0) return false;
    if (folded(1) == "年" && is_month(small(2)) && folded(3) == "月") {
      const bool day = is_day(small(4)) && (folded(5) == "日" || folded(5) == "号");
      return add_dates({{first, small(2), day ? small(4) : 0}}, day ? 6 : 4);
    }
    if (folded(1) == "月" && is_day(small(2)) && folded(3) == "日") return add_dates({{0, first, small(2)}}, 4);
    return is_day(first) && day_first(first);
  }

  /// "12 March 2024", "3 de agosto de 2024", "9 tháng 7 năm 2024".
  bool day_first(int day) {
    std::size_t next = 1;
    if (folded(next) == "de" || folded(next) == "of" || folded(next) == "d") ++next;
    int month = month_of(without_suffix(folded(next)));
    if (month == 0 && folded(1) == "tháng" && is_month(small(2))) month = small(2), next = 2;
    if (month == 0) return false;
    return add_with_year({0, month, day}, next + 1, true);
  }

  /// "March 12, 2024", "March 2024", "March".
  bool month_first(int month) {
    const auto& token = tokens_[at_];
    const bool plain = is_plain_month(token.folded);
    if (is_day(ranked(1))) {
      const bool unit = unit_of(folded(2)).has_value();
      if (!unit && (!plain || token.capital)) return add_with_year({0, month, ranked(1)}, 2, true);
    }
    if (is_year(small(1))) return add_dates({{small(1), month, 0}}, 2);
    if (plain && (!token.capital || token.starts_sentence)) return false;
    return add_with_year({0, month, 0}, 1, !plain);
  }

  bool add_with_year(Date date, std::size_t count, bool sure) {
    std::size_t next = count;
    if (folded(next) == "de" || folded(next) == "năm" || folded(next) == "of") ++next;
    if (is_year(small(next))) date.year = small(next), count = next + 1;
    return add_dates({date}, count, sure);
  }

  /// "14:05", "2:03.4", "17 h 04", "3 pm", "3点".
  bool time() {
    const auto text = without_suffix(folded(0));
    const auto parts = split_at_marks(text, ":");
    if (parts.size() > 1 && is_all_digits(parts[0]) && are_numbers(split_at_marks(text, ":.,")))
      return clock(text, parts);
    const int hour = small(0);
    if (!is_all_digits(folded(0)) || hour > 24 || folded(0).size() > 2) return false;
    const bool minutes = folded(2).size() == 2 && is_all_digits(folded(2)) && !unit_of(folded(3));
    if (folded(1) == "h" && minutes) return add_time(hour * 60 + small(2), 3);
    if (folded(1) == "点" || folded(1) == "點" || folded(1) == "時" || folded(1) == "时" || folded(1) == "uhr")
      return add_time(hour * 60, 2);
    if (folded(1) == "pm" || folded(1) == "p.m") return add_time((hour % 12 + 12) * 60, 2);
    if (folded(1) == "am" || folded(1) == "a.m") return add_time(hour % 12 * 60, 2);
    return false;
  }

  bool clock(std::string_view text, const std::vector<std::string_view>& parts) {
    Figure figure;
    figure.is_time = true;
    double value = 0;
    for (const auto part : parts) {
      const auto readings = number_readings(part);
      if (readings.empty()) return false;
      value = value * 60 + readings.back();
      Figure piece;
      piece.values = readings;
      piece.text = std::string(part);
      if (part != "00") figure.parts.push_back(std::move(piece));
    }
    std::size_t count = 1;
    const bool evening = parts[0].size() <= 2 && (folded(1) == "pm" || folded(1) == "p.m") && to_int(parts[0]) < 12;
    if (evening || folded(1) == "am" || folded(1) == "a.m") count = 2;
    figure.values = {value + (evening ? 720 : 0)};
    if (text.find_first_of(".,") != std::string_view::npos) figure.parts.clear();
    add(std::move(figure), count);
    return true;
  }

  bool add_time(double minutes, std::size_t count) {
    Figure figure;
    figure.is_time = true;
    figure.values = {minutes};
    Figure hour;
    hour.values = {static_cast<double>(small(0))};
    figure.parts.push_back(std::move(hour));
    add(std::move(figure), count);
    return true;
  }

  bool number() {
    const auto text = without_suffix(folded(0));
    if (text.empty() || !ascii::is_digit(text[0])) return false;
    const auto end = std::min(text.find_first_not_of("0123456789.,'"), text.size());
    auto readings = number_readings(text.substr(0, end));
    if (end == text.size() && !readings.empty()) return plain_number(std::move(readings));
    if (!readings.empty() && text[end] == '-' && is_ordinal(text.substr(end + 1)))
      return add_number(std::move(readings), 1);
    if (const auto parts = split_at_marks(text, "-/"); parts.size() > 1 && parts.size() <= 4) return range(parts);
    if (readings.empty()) return false;
    const auto tail = text.substr(end);
    if (is_ordinal(tail)) return add_number(std::move(readings), 1);
    if (const double scale = scale_of(tail); scale > 0 || tail == "m") {
      for (auto& value : readings) value *= tail == "m" && tokens_[at_].text[end] == 'M' ? 1e6 : std::max(scale, 1.0);
      const bool metres = tail == "m" && tokens_[at_].text[end] == 'm';
      return add_number(std::move(readings), 1, metres ? unit_of("m") : std::nullopt);
    }
    if (const auto unit = unit_of(tail)) return add_number(std::move(readings), 1, unit);
    return false;
  }

  static bool is_ordinal(std::string_view tail) {
    constexpr std::string_view tails[] = {"st", "nd", "rd", "th", "e", "er", "ème", "º", "ª", "o",
                                          "a",  "x",  "й",  "я",  "е", "го", "му",  "м", "ю"};
    return std::find(std::begin(tails), std::end(tails), tail) != std::end(tails);
  }

  /// A number of digits, with groups of three behind blanks, and what scales and measures it.
  bool plain_number(std::vector<double> readings) {
    std::size_t count = 1;
    Figure grouped;
    std::string digits(folded(0));
    while (digits.size() % 3 <= 2 && folded(0).size() <= 3 && is_all_digits(folded(0)) && folded(count).size() == 3 &&
           is_all_digits(folded(count)) && folded(0) != "0")
      digits += folded(count++);
    if (count == 1) return add_number(std::move(readings), 1);
    for (std::size_t i = 0; i < count; ++i) {
      Figure part;
      part.values = {static_cast<double>(to_int(folded(i)))};
      grouped.parts.push_back(std::move(part));
    }
    return add_number({to_double(digits)}, count, std::nullopt, std::move(grouped.parts));
  }

  bool add_number(std::vector<double> readings, std::size_t count, std::optional<MeasureUnit> unit = std::nullopt,
                  std::vector<Figure> parts = {}, bool sure = true) {
    Figure figure;
    figure.parts = std::move(parts);
    figure.is_sure = sure;
    for (double scale = scale_of(folded(count)); !unit && scale > 0; scale = scale_of(folded(++count))) {
      for (auto& value : readings) value *= scale;
      figure.parts.clear();
    }
    if (!unit) unit = following_unit(count);
    if (!unit && at_ > 0) unit = currency(tokens_[at_ - 1].folded);
    figure.values = std::move(readings);
    figure.unit = unit.value_or(MeasureUnit{});
    add(std::move(figure), count);
    return true;
  }

  static std::optional<MeasureUnit> currency(std::string_view sign) {
    const auto unit = unit_of(sign);
    return unit && unit->kind >= MeasureUnit::Kind::dollar ? unit : std::nullopt;
  }

  /// The unit behind a number; `count` grows by what it takes.
  std::optional<MeasureUnit> following_unit(std::size_t& count) {
    const auto two = std::string(folded(count)) + std::string(folded(count + 1));
    for (const std::string_view sign : {"分钟", "小时", "時間", "分鐘"}) {
      if (two == sign || two.substr(0, sign.size()) == sign) {
        count += 2;
        return unit_of(sign == "分鐘" ? "分钟" : sign);
      }
    }
    if (folded(count) == "分") return ++count, unit_of("分钟");
    const bool degrees = folded(count) == "°c" || folded(count) == "°f";
    const auto unit = unit_of(folded(count));
    if (unit && (degrees || !tokens_[at_ + count].starts_sentence)) ++count;
    if (unit) return unit;
    if (folded(count) == "por" && folded(count + 1) == "ciento") return count += 2, unit_of("%");
    if (folded(count) == "pour" && folded(count + 1) == "cent") return count += 2, unit_of("%");
    if (folded(count) == "la" && folded(count + 1) == "sută") return count += 2, unit_of("%");
    if (folded(count) == "phần" && folded(count + 1) == "trăm") return count += 2, unit_of("%");
    return std::nullopt;
  }

  /// "9:00-17:00", "78-81", "and 2/3": each of its parts is a figure of its own.
  bool range(const std::vector<std::string_view>& parts) {
    std::vector<Figure> pieces;
    for (const auto part : parts) {
      auto piece = FigureReader(part).read();
      if (piece.figures.size() != 1 || !piece.names.empty()) return false;
      pieces.push_back(std::move(piece.figures[0]));
    }
    return add_number({}, 1, std::nullopt, std::move(pieces));
  }

  /// "twenty-four", "on bir", "trei", "cent mille".
  bool number_in_words() {
    const auto scaled_alone = scale_of(folded(0)) > 0 && scale_of(folded(1)) > 0;
    if (scaled_alone) return add_number({scale_of(folded(0))}, 1);
    const auto text = folded(0);
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
      const auto ten = number_word(text.substr(0, dash)), unit = number_word(text.substr(dash + 1));
      if (ten && unit && unit->value < 10) return add_number({ten->value + unit->value}, 1);
    }
    const bool half = folded(1) == "and" && folded(2) == "a" && folded(3) == "half";
    if (half && text == "one") return add_number({1.5}, 4);
    if (text == "a" && folded(1) == "quarter") return add_number({0.25}, 2);
    const auto word = number_word(text);
    if (!word) return false;
    if (half) return add_number({word->value + 0.5}, 4);
    std::size_t next = 1;
    if (folded(1) == "y" || folded(1) == "si" || folded(1) == "și" || folded(1) == "e") next = 2;
    const auto unit = folded(next) == "bir" ? 1.0 : number_word(folded(next)).value_or(NumberWord{}).value;
    if (word->value >= 10 && unit > 0 && unit < 10) {
      Figure ten, rest;
      ten.values = {word->value};
      rest.values = {unit};
      return add_number({word->value + unit}, next + 1, std::nullopt, {ten, rest});
    }
    return add_number({word->value}, 1, std::nullopt, {}, !word->also_plain);
  }

  /// "十二", "百分之四十", "两".
  bool ideographs() {
    const bool percent = folded(0) == "百" && folded(1) == "分" && folded(2) == "之";
    std::size_t count = percent ? 3 : 0;
    double value = 0, digit = 0;
    const auto begin = count;
    for (;; ++count) {
      const auto sign = ideograph_value(folded(count));
      if (sign < 0) break;
      if (sign < 10) {
        digit = sign;
      } else {
        value += std::max(digit, 1.0) * sign;
        digit = 0;
      }
    }
    if (count == begin) return false;
    return add_number({value + digit}, count, percent ? unit_of("%") : std::nullopt, {}, false);
  }

  static double ideograph_value(std::string_view sign) {
    constexpr std::string_view digits[] = {"零", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十"};
    if (sign == "两") return 2;
    if (sign == "百") return 100;
    const auto at = std::find(std::begin(digits), std::end(digits), sign);
    return at == std::end(digits) ? -1 : static_cast<double>(at - std::begin(digits));
  }

  /// "2024'te", "15-го": a number or a word with an ending behind a mark.
  static std::string_view without_suffix(std::string_view text) {
    const auto mark = text.find('\'');
    if (mark != std::string_view::npos && mark + 1 < text.size() && !ascii::is_digit(text[mark + 1]))
      return text.substr(0, mark);
    return text;
  }

  void name() {
    const auto& token = tokens_[at_++];
    NameInText name{token.text, token.folded, token.capital, token.starts_sentence, token.in_heading, false};
    bool letters = false, other = false;
    for (std::size_t i = 0; i < token.text.size(); ++i) {
      const char c = token.text[i];
      const bool inner = i > 0 && c >= 'A' && c <= 'Z' && token.text[i - 1] >= 'a' && token.text[i - 1] <= 'z';
      other |= inner || ascii::is_digit(c) || c == '_' || c == '/' || c == '@' || c == '\\';
      letters |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80) != 0;
    }
    name.is_exact = other;
    if (letters || other) out_.names.push_back(std::move(name));
  }

  std::vector<FigureToken> tokens_;
  std::size_t at_ = 0;
  Figures out_;
};

}  // namespace

Figures read_figures(std::string_view text) { return FigureReader(text).read(); }

}  // namespace ctxmgr::engine
