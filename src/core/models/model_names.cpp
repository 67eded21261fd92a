#include "core/models/model_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "core/ascii.hpp"
#include "core/real_number.hpp"

namespace ctxmgr {
namespace {

constexpr auto npos = std::string_view::npos;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

std::string_view without_provider(std::string_view name) {
  if (const auto slash = name.rfind('/'); slash != npos) name.remove_prefix(slash + 1);
  const std::string_view vendor = name.substr(0, name.find('-'));
  const bool has_digit = std::any_of(vendor.begin(), vendor.end(), ascii::is_digit);  // "qwen2.5-72b" has no vendor
  if (const auto dot = vendor.rfind('.'); dot != npos && !has_digit) name.remove_prefix(dot + 1);
  return name;
}

std::string_view without_variant(std::string_view name) {
  if (name.substr(0, 3) == "ft:") name.remove_prefix(3);
  name = name.substr(0, name.find_first_of(":@"));
  const auto version = name.rfind("-v");
  if (version != npos && all_digits(name.substr(version + 2))) name = name.substr(0, version);
  return name;
}

/// Whether the text ends in "-" and digits in groups of these lengths: {4, 2, 2} for "-2024-08-06".
bool ends_in_groups(std::string_view name, std::initializer_list<std::size_t> lengths) {
  std::size_t total = 0;
  for (const std::size_t length : lengths) total += length + 1;
  if (name.size() <= total) return false;
  std::size_t pos = name.size() - total;
  for (const std::size_t length : lengths) {
    if (name[pos] != '-' || !all_digits(name.substr(pos + 1, length))) return false;
    pos += length + 1;
  }
  return true;
}

std::string_view without_date(std::string_view name) {
  if (ends_in_groups(name, {4, 2, 2})) return name.substr(0, name.size() - 11);
  if (ends_in_groups(name, {8})) return name.substr(0, name.size() - 9);
  if (ends_in_groups(name, {4})) return name.substr(0, name.size() - 5);
  for (const std::string_view suffix : {"-latest", "-preview"}) {
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

/// "claude-sonnet-4.5" is "claude-sonnet-4-5" at its own provider.
std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '.', '-');
  return name;
}

struct Known {
  std::string_view prefix;  ///< Without "-", "_" and blanks.
  ModelFamily family;
};

// The templates: Llama's header and date, ChatML and its default instruction, Gemma's turns, harmony's own message.
constexpr ModelFamily llama(std::int64_t window) { return {window, 1, 28}; }
constexpr ModelFamily chatml(std::int64_t window) { return {window, 1, 24}; }
constexpr ModelFamily gemma(std::int64_t window) { return {window, 1, 2}; }
constexpr ModelFamily plain(std::int64_t window) { return {window, 0, 2}; }

// The longer of two prefixes stands before the shorter.
constexpr std::array<Known, 47> families{{
    {"codellama", plain(16'384)},      {"llama4scout", llama(10'485'760)},
    {"llama4", llama(1'048'576)},      {"llama3.1", llama(131'072)},
    {"llama3.2", llama(131'072)},      {"llama3.3", llama(131'072)},
    {"llama3", llama(8'192)},          {"llama2", plain(4'096)},
    {"qwen3coder", chatml(262'144)},   {"qwen3next", chatml(262'144)},
    {"qwen3", chatml(40'960)},         {"qwen2.5", chatml(32'768)},
    {"qwen2", chatml(32'768)},         {"qwq", chatml(32'768)},
    {"mistralnemo", plain(131'072)},   {"mistrallarge", plain(131'072)},
    {"mistralmedium", plain(131'072)}, {"mistralsmall3.", plain(131'072)},
    {"mistralsmall", plain(32'768)},   {"mistral", plain(32'768)},
    {"mixtral8x22b", plain(65'536)},   {"mixtral", plain(32'768)},
    {"ministral", plain(131'072)},     {"codestral", plain(32'768)},
    {"devstral", plain(131'072)},      {"magistral", plain(40'960)},
    {"gptoss", {131'072, 0, 80}},      {"deepseekcoderv2", plain(131'072)},
    {"deepseekcoder", plain(16'384)},  {"deepseekr1", plain(131'072)},
    {"deepseekv3", plain(131'072)},    {"deepseekv2", plain(131'072)},
    {"gemma3n", gemma(32'768)},        {"gemma31b", gemma(32'768)},
    {"gemma3:1b", gemma(32'768)},      {"gemma3", gemma(131'072)},
    {"gemma2", gemma(8'192)},          {"gemma", gemma(8'192)},
    {"phi4mini", plain(131'072)},      {"phi4", plain(16'384)},
    {"phi3.5", plain(131'072)},        {"phi3", plain(4'096)},
    {"commandr", plain(131'072)},      {"granite3", plain(131'072)},
    {"smollm2", chatml(8'192)},        {"tinyllama", plain(2'048)},
    {"olmo2", plain(4'096)},
}};

/// Lower case, without folders, the vendor's name and the signs that spellings differ by.
std::string spelled(std::string_view model) {
  if (const auto slash = model.find_last_of("/\\"); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  std::string name;
  for (const char c : ascii::lower_case(std::string(model))) {
    if (c != '-' && c != '_' && c != ' ') name += c;
  }
  for (const std::string_view vendor : {"meta", "microsoft", "google", "ibm"}) {
    if (std::string_view(name).substr(0, vendor.size()) == vendor) name.erase(0, vendor.size());
  }
  return name;
}

}  // namespace

std::vector<std::string> candidate_model_names(std::string_view model) {
  const std::string lower = ascii::lower_case(std::string(model));
  std::vector<std::string> names{lower};
  const auto add = [&names](std::string name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  std::string_view name = lower;
  for (const auto step : {without_provider, without_variant, without_date, without_date}) {
    name = step(name);
    add(std::string(name));
  }
  for (std::size_t i = 0, count = names.size(); i < count; ++i) add(with_dashes(names[i]));
  return names;
}

std::string_view tokenizer_of(std::string_view model) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> by_prefix{{
      {"gpt-4o", "o200k_base"},
      {"gpt-4.1", "o200k_base"},
      {"gpt-4.5", "o200k_base"},
      {"gpt-5", "o200k_base"},
      {"gpt-oss", "o200k_base"},
      {"chatgpt-4o", "o200k_base"},
      {"o1", "o200k_base"},
      {"o3", "o200k_base"},
      {"o4-mini", "o200k_base"},
      {"gpt-4", "cl100k_base"},
      {"gpt-3.5", "cl100k_base"},
      {"gpt-35", "cl100k_base"},
      {"text-embedding-", "cl100k_base"},
  }};
  for (const std::string& name : candidate_model_names(model)) {
    for (const auto& [prefix, tokenizer] : by_prefix) {
      if (std::string_view(name).substr(0, prefix.size()) == prefix) return tokenizer;
    }
  }
  return {};
}

VocabularyFamily vocabulary_family(std::string_view model) {
  using Family = VocabularyFamily;
  // A distilled model has the vocabulary of the one that it was made of, which its name has, too.
  constexpr std::array<std::pair<std::string_view, Family>, 13> by_word{{
      {"qwen", Family::qwen},
      {"qwq", Family::qwen},
      {"qvq", Family::qwen},
      {"gemini", Family::gemini},
      {"gemma", Family::gemini},
      {"llama2", Family::unknown},
      {"codellama", Family::unknown},
      {"tinyllama", Family::unknown},
      {"llama3", Family::llama},
      {"llama4", Family::llama},
      {"distillllama", Family::llama},
      {"deepseek", Family::deepseek},
      {"claude", Family::o200k},
  }};
  const auto name = spelled(model);
  for (const auto& [word, family] : by_word) {
    if (name.find(word) != std::string::npos) return family;
  }
  return tokenizer_of(model).empty() ? Family::unknown : Family::o200k;
}

std::optional<ModelFamily> model_family(std::string_view model) {
  const auto name = spelled(model);
  const auto* const found = std::find_if(families.begin(), families.end(), [&](const Known& known) {
    return std::string_view(name).substr(0, known.prefix.size()) == known.prefix;
  });
  if (found == families.end()) return std::nullopt;
  auto family = found->family;
  if (found->prefix == "phi3" && name.find("128k") != std::string::npos) family.context_window_tokens = 131'072;
  return family;
}

std::optional<double> billions_of_parameters(std::string_view model) {
  const auto name = ascii::lower_case(std::string(model));
  const auto is_of_word = [](char c) { return ascii::is_digit(c) || (c >= 'a' && c <= 'z'); };
  std::optional<double> most;
  for (std::size_t at = 0; at < name.size();) {
    const auto end = std::min(name.find_first_not_of("0123456789.", at), name.size());
    const bool begins = at == 0 || !is_of_word(name[at - 1]) || name[at - 1] == 'x';  // 8x7b
    const bool ends = end + 1 >= name.size() || !is_of_word(name[end + 1]);
    const auto digits = name.substr(at, end - at);
    if (begins && ends && end < name.size() && (name[end] == 'b' || name[end] == 'm')) {
      const double number = read_real(digits).value_or(0);
      const bool is_size = name[end] == 'b' ? number > 0 : number >= 50;
      if (is_size) most = std::max(most.value_or(0), name[end] == 'b' ? number : number / 1'000);
    }
    at = end + 1;
  }
  return most;
}

}  // namespace ctxmgr
