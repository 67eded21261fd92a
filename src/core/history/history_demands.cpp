#include "core/history/history_demands.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/ascii.hpp"

namespace ctxmgr {
namespace {

template <std::size_t Count>
bool names_one_of(std::string_view model, const std::array<std::string_view, Count>& families) {
  const std::string name = ascii::lower_case(std::string(model));
  return std::any_of(families.begin(), families.end(),
                     [&](std::string_view family) { return name.find(family) != std::string::npos; });
}

bool is_of_mistral(std::string_view model) {
  return names_one_of(model, std::array<std::string_view, 7>{"mistral", "mixtral", "ministral", "codestral", "devstral",
                                                             "magistral", "pixtral"});
}

}  // namespace

HistoryDemands demands_of_service(std::string_view provider, std::string_view model) {
  HistoryDemands demands;
  const bool takes_any_arguments = provider == "openai";
  const bool takes_ids_again = takes_any_arguments || provider == "google";
  demands.unique_ids = !takes_ids_again;
  demands.object_arguments = !takes_any_arguments;
  if (takes_any_arguments) demands.empty_messages = EmptyMessages::refused;
  if (provider == "anthropic") demands.id_form = CallIdForm::words;
  if (is_of_mistral(model)) demands.id_form = CallIdForm::nine_characters;
  return demands;
}

bool needs_past_reasoning(std::string_view provider, std::string_view model) {
  return provider == "deepseek" || provider == "moonshot" ||
         names_one_of(model, std::array<std::string_view, 2>{"deepseek", "kimi"});
}

}  // namespace ctxmgr
