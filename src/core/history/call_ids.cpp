#include "core/history/call_ids.hpp"

#include <algorithm>
#include <cstdint>

#include "core/ascii.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t mistral_length = 9;

bool is_letter_or_digit(char c) { return ascii::is_letter(c) || ascii::is_digit(c); }
bool is_of_word(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

/// FNV-1a: the same in every process, so that a thread keeps its ids.
std::uint64_t fnv_hash(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  return hash;
}

std::string nine_characters_of(std::uint64_t number) {
  constexpr std::string_view signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string id;
  for (; id.size() < mistral_length; number /= signs.size())
    id += signs[static_cast<std::size_t>(number % signs.size())];
  return id;
}

}  // namespace

bool has_form(std::string_view id, CallIdForm form) {
  switch (form) {
    case CallIdForm::words: return std::all_of(id.begin(), id.end(), is_of_word);
    case CallIdForm::nine_characters:
      return id.size() == mistral_length && std::all_of(id.begin(), id.end(), is_letter_or_digit);
    case CallIdForm::any: break;
  }
  return true;
}

std::string made_call_id(std::string_view written, std::size_t number, CallIdForm form) {
  std::string id = (written.empty() ? "call" : std::string(written)) + "_" + std::to_string(number);
  if (form == CallIdForm::nine_characters) return nine_characters_of(fnv_hash(id));
  if (form == CallIdForm::words) {
    std::replace_if(
        id.begin(), id.end(), [](char c) { return !is_of_word(c); }, '_');
  }
  return id;
}

}  // namespace ctxmgr
