#include "core/model_families.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/ascii.hpp"

namespace ctxmgr {
namespace {

struct Known {
  std::string_view prefix;  ///< Without "-", "_" and blanks.
  std::int64_t window;
};

// The longer of two prefixes stands before the shorter.
constexpr std::array<Known, 47> families{{
    {"codellama", 16'384},      {"llama4scout", 10'485'760},
    {"llama4", 1'048'576},      {"llama3.1", 131'072},
    {"llama3.2", 131'072},      {"llama3.3", 131'072},
    {"llama3", 8'192},          {"llama2", 4'096},
    {"qwen3coder", 262'144},    {"qwen3next", 262'144},
    {"qwen3", 40'960},          {"qwen2.5", 32'768},
    {"qwen2", 32'768},          {"qwq", 32'768},
    {"mistralnemo", 131'072},   {"mistrallarge", 131'072},
    {"mistralmedium", 131'072}, {"mistralsmall3.", 131'072},
    {"mistralsmall", 32'768},   {"mistral", 32'768},
    {"mixtral8x22b", 65'536},   {"mixtral", 32'768},
    {"ministral", 131'072},     {"codestral", 32'768},
    {"devstral", 131'072},      {"magistral", 40'960},
    {"gptoss", 131'072},        {"deepseekcoderv2", 131'072},
    {"deepseekcoder", 16'384},  {"deepseekr1", 131'072},
    {"deepseekv3", 131'072},    {"deepseekv2", 131'072},
    {"gemma3n", 32'768},        {"gemma31b", 32'768},
    {"gemma3:1b", 32'768},      {"gemma3", 131'072},
    {"gemma2", 8'192},          {"gemma", 8'192},
    {"phi4mini", 131'072},      {"phi4", 16'384},
    {"phi3.5", 131'072},        {"phi3", 4'096},
    {"commandr", 131'072},      {"granite3", 131'072},
    {"smollm2", 8'192},         {"tinyllama", 2'048},
    {"olmo2", 4'096},
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

std::optional<std::int64_t> family_window(std::string_view model) {
  const auto name = spelled(model);
  const auto* const found = std::find_if(families.begin(), families.end(), [&](const Known& known) {
    return std::string_view(name).substr(0, known.prefix.size()) == known.prefix;
  });
  if (found == families.end()) return std::nullopt;
  const bool is_long_phi = found->prefix == "phi3" && name.find("128k") != std::string::npos;
  return is_long_phi ? 131'072 : found->window;
}

}  // namespace ctxmgr
