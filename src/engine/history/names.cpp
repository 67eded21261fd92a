#include "engine/history/names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>

namespace ctxmgr::engine {
namespace {

constexpr std::size_t longest_name = 120;
constexpr std::size_t longest_label = 30;
constexpr std::size_t longest_line_number = 7;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/// What a name may consist of; a run of these is one name or several.
bool is_of_run(char c) { return is_word(c) || c == '.' || c == '/' || c == '-' || c == '+' || c == '@' || c == '~'; }

bool ends_address(char c) {
  return static_cast<unsigned char>(c) <= ' ' || is_quote(c) || c == '<' || c == '>' || c == ')' || c == '|' ||
         c == ']' || c == '}';
}

std::size_t count_digits(std::string_view word) {
  return static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_digit));
}

std::string_view without(std::string_view text, std::string_view characters) {
  const auto first = text.find_first_not_of(characters);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool is_identifier(std::string_view word) {
  if (word.size() < 6 || is_digit(word[0])) return false;
  if (without(word, "_").find('_') != std::string_view::npos) return true;
  for (std::size_t i = 1; i < word.size(); ++i)
    if (is_lower(word[i - 1]) && is_upper(word[i])) return true;
  return false;
}

/// "10442", "W6750959", "5f3a9c1".
bool is_code(std::string_view word) {
  const auto digits = count_digits(word);
  if (digits == word.size()) return digits >= 4;
  const auto capitals = static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_upper) - word.begin());
  if (capitals >= 1 && capitals <= 4 && digits >= 3 && capitals + digits == word.size()) return true;
  const bool hex = std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  return hex && digits > 0 && word.size() >= 7 && word.size() <= 40;
}

/// "INV-2024-0042", "2026-11-22", a UUID.
bool is_dashed_code(std::string_view run) {
  if (run.find('-') == std::string_view::npos || count_digits(run) < 3) return false;
  return std::all_of(run.begin(), run.end(), [](char c) { return is_upper(c) || is_digit(c) || c == '-'; }) ||
         std::all_of(run.begin(), run.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || c == '-'; });
}

/// "1.4.2", "v2.0", "3.11.0rc1".
bool is_version(std::string_view run) {
  const bool marked = run.size() > 1 && run[0] == 'v' && is_digit(run[1]);
  const auto number = marked ? run.substr(1) : run;
  if (number.empty() || !is_digit(number[0])) return false;
  const auto dots = static_cast<std::size_t>(std::count(number.begin(), number.end(), '.'));
  const auto digits = count_digits(number);
  return dots >= (marked ? 1U : 2U) && dots + digits + 3 >= number.size();
}

bool has_file_ending(std::string_view run) {
  constexpr std::array<std::string_view, 44> endings{
      "c",   "cc", "cfg",  "cpp", "cs",   "css",  "csv", "docx", "go",  "h",    "hpp", "html", "ini", "ipynb", "java",
      "jpg", "js", "json", "jsx", "lock", "log",  "md",  "pdf",  "php", "png",  "po",  "py",   "pyi", "rb",    "rs",
      "rst", "sh", "sql",  "svg", "tex",  "toml", "ts",  "tsx",  "txt", "xlsx", "xml", "yaml", "yml", "pony"};
  const auto dot = run.rfind('.');
  return dot != std::string_view::npos && dot >= 2 &&
         std::find(endings.begin(), endings.end(), run.substr(dot + 1)) != endings.end();
}

bool is_path(std::string_view run) {
  if (run.find('/') == std::string_view::npos) return has_file_ending(run) && is_word(run[0]);
  if (run.find("//") != std::string_view::npos || begins_with(run, "/dev/")) return false;
  if (run.size() < 6 || std::none_of(run.begin(), run.end(), is_letter)) return false;
  // Else "and/or" and the like would be paths.
  return run.size() >= 12 || run[0] == '/' || run.find_first_of("._") != std::string_view::npos;
}

/// A line of a directory listing: "-rw-r--r-- 1 root root 4096 ...". Its numbers are sizes and dates.
bool is_listing(std::string_view line) {
  if (line.size() < 12 || std::string_view("-dlbcps").find(line[0]) == std::string_view::npos) return false;
  return std::all_of(line.begin() + 1, line.begin() + 10, [](char c) {
    return c == '-' || c == 'r' || c == 'w' || c == 'x' || c == 's' || c == 't' || c == 'S' || c == 'T';
  });
}

/// Finds names in one text.
class Scanner {
 public:
  Scanner(std::string_view text, std::vector<Name>& names) : text_(text), names_(names) {}

  void scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (at_ == 0 || text_[at_ - 1] == '\n') begin_line();
      if (is_digit(c)) {
        scan_number();
      } else if (is_word(c) || c == '/' || c == '.' || c == '~') {
        scan_run();
      } else {
        ++at_;
      }
    }
  }

 private:
  void begin_line() {
    const auto line = text_.substr(at_, text_.find('\n', at_) - at_);
    is_listing_ = is_listing(line);
    const auto first = std::min(line.find_first_not_of(' '), line.size());
    auto end = first;
    while (end < line.size() && is_digit(line[end])) ++end;
    const bool numbered = end > first && end - first <= longest_line_number && end < line.size() &&
                          (line[end] == '\t' || line[end] == ' ' || line[end] == ':' || line[end] == '|');
    std::size_t number = 0;
    if (numbered) std::from_chars(line.data() + first, line.data() + end, number);
    const bool goes_on = numbered && number == last_number_ + 1;
    last_number_ = number;
    if (!goes_on) return;
    at_ += end;
    if (end - first < 4) return;
    const auto next = std::to_string(number + 1);
    const auto rest = text_.substr(std::min(text_.size(), at_ + line.size() - end + 1));
    const auto blanks = std::min(rest.find_first_not_of(' '), rest.size());
    add(line.substr(first, end - first), rest.substr(blanks, next.size()) == next ? NameKind::filler : NameKind::code);
  }

  void scan_run() {
    const std::size_t first = at_;
    while (at_ < text_.size() && is_of_run(text_[at_])) ++at_;
    if (text_.substr(at_, 3) == "://") {
      while (at_ < text_.size() && !ends_address(text_[at_])) ++at_;
      return add(without(text_.substr(first, at_ - first), ".,;:!?"), NameKind::address);
    }
    read(text_.substr(first, at_ - first));
  }

  /// Digits with what may stand between and around them: "$1,234.50", "12 %" without the blank.
  void scan_number() {
    const std::size_t first = at_;
    std::size_t end = at_;
    while (end < text_.size() && is_of_run(text_[end])) ++end;
    const auto run = without(text_.substr(first, end - first), "./-+~@");
    if (run.find_first_not_of("0123456789.") != std::string_view::npos || is_version(run)) {
      at_ = end;
      return read(text_.substr(first, end - first));
    }
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.' || text_[at_] == ',')) ++at_;
    auto number = without(text_.substr(first, at_ - first), ".,");
    if (at_ == first + number.size() && at_ < text_.size() && text_[at_] == '%')
      number = text_.substr(first, ++at_ - first);
    add_number(number);
  }

  void read(std::string_view run) {
    run = without(run, ".-+~@");
    if (begins_with(run, "/") && text_.data() < run.data() && *(run.data() - 1) == '<') return;  // "</p>"
    if (begins_with(run, "/") && run.size() > 1 && text_.data() < run.data() && *(run.data() - 1) == '.')
      run.remove_prefix(1);  // "./a/b"
    while (!run.empty() && run.back() == '/') run.remove_suffix(1);
    if (run.size() < 2) return;
    if (const auto at = run.find('@');
        at != std::string_view::npos && at > 0 && run.find('.', at) != std::string_view::npos)
      return add(run, NameKind::address);
    if (is_path(run)) {
      // As a diff shows them.
      if ((begins_with(run, "a/") || begins_with(run, "b/")) && run.find('/', 2) != std::string_view::npos)
        run.remove_prefix(2);
      return add(run, NameKind::path);
    }
    if (is_dashed_code(run) || is_version(run)) return add(run, NameKind::code);
    read_words(run);
  }

  void read_words(std::string_view run) {
    for (std::size_t i = 0; i < run.size();) {
      std::size_t end = i;
      while (end < run.size() && is_word(run[end])) ++end;
      const auto word = run.substr(i, end - i);
      if (is_identifier(word))
        add(word, NameKind::identifier);
      else if (is_code(word))
        add(word, NameKind::code);
      i = end + 1;
    }
  }

  void add_number(std::string_view number) {
    if (is_listing_) {
      if (number.size() >= 4) add(number, NameKind::filler);
      return;
    }
    const bool is_plain = count_digits(number) == number.size();
    add(number, is_plain && number.size() >= 4 ? NameKind::code : NameKind::figure);
  }

  void add(std::string_view name, NameKind kind) {
    if (name.empty() || name.size() > longest_name) return;
    Name found{name, {}, kind};
    if (kind == NameKind::code || kind == NameKind::figure) {
      found.label = label_before(static_cast<std::size_t>(name.data() - text_.data()));
      if (kind == NameKind::figure && found.label.empty()) return;
    }
    names_.push_back(found);
  }

  /// The words before a colon or an equals sign that stands before `at`.
  [[nodiscard]] std::string_view label_before(std::size_t at) const {
    while (at > 0 &&
           (is_blank(text_[at - 1]) || is_quote(text_[at - 1]) || text_[at - 1] == '$' || text_[at - 1] == '#'))
      --at;
    if (at == 0 || (text_[at - 1] != ':' && text_[at - 1] != '=')) return {};
    const bool close = at < text_.size() && is_digit(text_[at]) && text_[at - 1] == ':';  // "a.py:12", "10:30"
    --at;
    while (at > 0 && (is_blank(text_[at - 1]) || is_quote(text_[at - 1]) || text_[at - 1] == '*')) --at;
    const std::size_t end = at;
    while (at > 0 && end - at < longest_label &&
           (is_word(text_[at - 1]) || is_blank(text_[at - 1]) || text_[at - 1] == '-'))
      --at;
    auto label = without(text_.substr(at, end - at), " \t-");
    if (label.size() < 2 || !is_letter(label[0]) || label.size() >= longest_label) return {};
    if (std::count(label.begin(), label.end(), ' ') > 2) return {};
    if (close && at > 0 && (text_[at - 1] == '.' || text_[at - 1] == '/')) return {};
    return label;
  }

  std::string_view text_;
  std::vector<Name>& names_;
  std::size_t at_ = 0;
  bool is_listing_ = false;
  std::size_t last_number_ = 0;
};

}  // namespace

void find_names(std::string_view text, std::vector<Name>& names) { Scanner(text, names).scan(); }

bool stands_in(std::string_view name, std::string_view text) {
  const auto joins = [](char c) { return is_digit(c) || is_upper(c) || is_lower(c) || c == '_'; };
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at == 0 || !joins(text[at - 1])) && (end == text.size() || !joins(text[end]))) return true;
  }
  return false;
}

}  // namespace ctxmgr::engine
