#include "engine/index/json_records.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/json/lexer.hpp"
#include "core/real_number.hpp"
#include "engine/index/term_analysis.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t least_records = 6;
constexpr std::size_t most_categories = 8;    // distinct values of a key that is a kind of label
constexpr std::size_t longest_category = 24;  // bytes
constexpr std::size_t most_keys = 12;         // in the statistics
constexpr std::size_t rare_share = 20;        // one record in so many is rare
constexpr std::size_t most_statistics_bytes = 400;
constexpr std::size_t deepest = 256;  // what is nested deeper is not looked at

bool fits_a_note(std::string_view token) {
  return token.size() <= longest_category &&
         std::all_of(token.begin(), token.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

struct Member {
  std::string_view key;  ///< With its quotes.
  std::string_view value;
};

struct Element {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<Member> members;  ///< Of an object.
};

struct Container {
  char kind = 0;  ///< '[', '{', or 0 for the text itself.
  std::size_t begin = 0;
  std::vector<Element> elements;  ///< Of an array or of the text: containers only.
  std::vector<Member> members;    ///< Of an object.
  std::string_view key;           ///< Whose value comes next.
};

// One pass with a stack of its own, so that depth costs no calls.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { open_.push_back({}); }

  std::vector<std::vector<Element>> run() {
    while (at_ < text_.size() && open_.size() < deepest) step();
    while (open_.size() > 1) close();
    keep(open_.front());
    return std::move(found_);
  }

 private:
  void step() {
    const JsonToken token = next_json_token(text_, at_);
    at_ = token.end;
    if (token.opens()) {
      open_.push_back({token.kind, token.begin, {}, {}, {}});
    } else if (token.closes()) {
      if (open_.size() > 1) close();
    } else if (token.is_scalar()) {
      const std::string_view scalar = text_.substr(token.begin, token.end - token.begin);
      if (open_.back().kind == '{' && next_json_token(text_, at_).kind == ':')
        open_.back().key = scalar;
      else
        add_value(scalar);
    }
  }

  void add_value(std::string_view value) {
    Container& around = open_.back();
    if (around.kind == '{' && !around.key.empty()) around.members.push_back({std::exchange(around.key, {}), value});
  }

  void close() {
    Container done = std::move(open_.back());
    open_.pop_back();
    if (done.kind == '[') keep(done);
    if (open_.back().kind == '{')
      add_value(text_.substr(done.begin, at_ - done.begin));
    else
      open_.back().elements.push_back({done.begin, at_, std::move(done.members)});
  }

  void keep(Container& array) {
    if (array.elements.size() < least_records) return;
    while (!found_.empty() && found_.back().front().begin >= array.elements.front().begin) found_.pop_back();
    found_.push_back(std::move(array.elements));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Container> open_;
  std::vector<std::vector<Element>> found_;
};

char type_of(std::string_view value) {
  const char c = value.front();
  return (c >= '0' && c <= '9') || c == '-' ? '0' : c == 't' || c == 'f' ? 'b' : c;
}

// The same for any order of the keys.
std::uint64_t shape_of(std::string_view text, const Element& element) {
  std::uint64_t shape = hash_term(text.substr(element.begin, 1));
  for (const Member& member : element.members)
    shape +=
        hash_term(member.key) * (2 * static_cast<std::uint64_t>(static_cast<unsigned char>(type_of(member.value))) + 1);
  return shape;
}

std::optional<double> number_of(std::string_view value) {
  const auto number = read_real(value);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// What the records have under one key.
class KeyStatistics {
 public:
  explicit KeyStatistics(std::string_view key) : key_(key) {}

  std::string_view key() const { return key_; }

  void add(std::string_view value) {
    ++count_;
    if (const auto number = type_of(value) == '0' ? number_of(value) : std::nullopt) {
      ++numbers_;
      if (numbers_ == 1 || *number < *number_of(least_)) least_ = value;
      if (numbers_ == 1 || *number > *number_of(most_)) most_ = value;
    } else if (categories_.size() <= most_categories) {
      if (!fits_a_note(value) || type_of(value) == '{' || type_of(value) == '[')
        categories_.resize(most_categories + 1);
      else
        add_category(value);
    }
  }

  bool is_rare(std::string_view value) const {
    if (!has_categories()) return false;
    for (const auto& [category, count] : categories_)
      if (category == value) return count * rare_share <= count_;
    return false;
  }

  std::string describe(std::size_t records) const {
    std::string out(key_);
    if (numbers_ == count_)
      out.append(" ").append(least_).append(least_ == most_ ? "" : " to ").append(least_ == most_ ? "" : most_);
    if (has_categories())
      for (std::size_t i = 0; i < categories_.size(); ++i)
        out.append(i == 0 ? " " : ", ").append(categories_[i].first) +=
            " \u00D7" + std::to_string(categories_[i].second);
    if (count_ < records) out += " in " + std::to_string(count_);
    return out;
  }

 private:
  void add_category(std::string_view value) {
    for (auto& [category, count] : categories_)
      if (category == value) {
        ++count;
        return;
      }
    categories_.emplace_back(value, 1);
  }

  // Few values that come again and again.
  bool has_categories() const {
    return !categories_.empty() && categories_.size() <= most_categories && categories_.size() * 2 <= count_;
  }

  std::string_view key_;
  std::size_t count_ = 0;
  std::size_t numbers_ = 0;
  std::string_view least_;
  std::string_view most_;
  std::vector<std::pair<std::string_view, std::size_t>> categories_;
};

class Statistics {
 public:
  explicit Statistics(const std::vector<Element>& elements) : records_(elements.size()) {
    for (const Element& element : elements) {
      for (const Member& member : element.members) {
        const auto [at, fresh] = position_.try_emplace(member.key, keys_.size());
        if (fresh) keys_.emplace_back(member.key);
        keys_[at->second].add(member.value);
      }
    }
  }

  bool has_rare_value(const Element& element) const {
    return std::any_of(element.members.begin(), element.members.end(),
                       [this](const Member& member) { return keys_[position_.at(member.key)].is_rare(member.value); });
  }

  std::string describe() const {
    std::string out = std::to_string(records_) + " records";
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const std::string key = keys_[k].describe(records_);
      if (k == most_keys || out.size() + key.size() > most_statistics_bytes || !fits_a_note(keys_[k].key()))
        return out + "; \u2026";
      out.append(k == 0 ? ": " : "; ").append(key);
    }
    return out;
  }

 private:
  std::size_t records_;
  std::vector<KeyStatistics> keys_;
  std::unordered_map<std::string_view, std::size_t> position_;
};

JsonRecords describe(std::string_view text, const std::vector<Element>& elements) {
  JsonRecords result;
  const Statistics statistics(elements);
  std::unordered_map<std::uint64_t, std::size_t> shapes;
  for (const Element& element : elements) {
    result.records.push_back({element.begin, element.end, shape_of(text, element), statistics.has_rare_value(element)});
    ++shapes[result.records.back().shape];
  }
  for (JsonRecord& record : result.records)
    record.outlier = record.outlier || shapes[record.shape] * rare_share <= elements.size();
  result.statistics = statistics.describe();
  return result;
}

}  // namespace

std::vector<JsonRecords> find_json_records(std::string_view text) {
  std::vector<JsonRecords> found;
  for (const std::vector<Element>& elements : Scanner(text).run()) found.push_back(describe(text, elements));
  return found;
}

}  // namespace ctxmgr::engine
