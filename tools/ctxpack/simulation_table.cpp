#include "simulation_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace ctxpack {
namespace {

std::string percent(double part, std::int64_t whole) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100.0 * part / static_cast<double>(whole));
  return whole == 0 ? "-" : text.data();
}

std::string percent(std::int64_t part, std::int64_t whole) { return percent(static_cast<double>(part), whole); }
std::string percent(const Recall& recall) { return percent(recall.found, recall.asked); }

std::string number(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

/// Rows of cells, the first column to the left, the others to the right, each as wide as its widest cell.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      text += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> row_of(const std::string& name, const Figures& figures, const Figures& everything) {
  const bool priced = everything.usd > 0;
  std::vector<std::string> row{name,
                               std::to_string(figures.tokens),
                               percent(figures.cached, figures.tokens),
                               priced ? number(figures.usd, 4) : "-",
                               priced ? number(figures.usd / everything.usd, 2) : "-",
                               std::to_string(figures.rewrites),
                               std::to_string(figures.compactions),
                               percent(figures.literals_kept, figures.literals),
                               percent(figures.far_kept, figures.far),
                               percent(figures.words_kept, figures.words),
                               percent(figures.far_words_kept, figures.far_words),
                               percent(figures.task, figures.steps),
                               std::to_string(figures.torn),
                               std::to_string(figures.over_budget)};
  if (everything.asked_back.asked > 0) {
    row.push_back(percent(figures.asked_back));
    row.push_back(percent(figures.asked_back_next));
  }
  return row;
}

/// The answers in the requests for the questions, by the form of the question.
std::string forms_of(const Totals& totals) {
  const auto& everything = totals.policies.front().second;
  if (everything.by_form.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"asked back"}, {"questions"}};
  for (const auto& [form, recall] : everything.by_form) {
    rows[0].push_back(form);
    rows[1].push_back(std::to_string(recall.asked));
  }
  for (const auto& [name, figures] : totals.policies) {
    auto& row = rows.emplace_back(std::vector{name});
    for (const auto& [form, unused] : everything.by_form) {
      const auto found = figures.by_form.find(form);
      row.push_back(found == figures.by_form.end() ? "-" : percent(found->second));
    }
  }
  return "\n" + aligned(rows);
}

nlohmann::ordered_json json_of(const Recall& recall) { return {{"asked", recall.asked}, {"found", recall.found}}; }

nlohmann::ordered_json json_of(const Figures& figures) {
  nlohmann::ordered_json json{{"steps", figures.steps},
                              {"failed", figures.failed},
                              {"over_budget", figures.over_budget},
                              {"tokens", figures.tokens},
                              {"cached_tokens", figures.cached},
                              {"usd", figures.usd},
                              {"rewrites", figures.rewrites},
                              {"compactions", figures.compactions},
                              {"literals", figures.literals},
                              {"literals_kept", figures.literals_kept},
                              {"far_literals", figures.far},
                              {"far_literals_kept", figures.far_kept},
                              {"words", figures.words},
                              {"words_kept", figures.words_kept},
                              {"far_words", figures.far_words},
                              {"far_words_kept", figures.far_words_kept},
                              {"task", figures.task},
                              {"torn", figures.torn}};
  if (figures.asked_back.asked == 0) return json;
  json["asked_back"] = json_of(figures.asked_back);
  json["asked_back_next"] = json_of(figures.asked_back_next);
  for (const auto& [form, recall] : figures.by_form) json["asked_back_by_form"][form] = json_of(recall);
  return json;
}

std::string notes_of(const Heading& heading, const Totals& totals) {
  std::string text;
  if (!heading.is_priced)
    text += "The catalogue has no price for " + heading.model + ": --model names another model.\n";
  if (totals.left_out > 0)
    text += std::to_string(totals.left_out) + " runs are left out: a file of requests has none of them\n";
  for (const auto& [name, figures] : totals.policies)
    if (figures.failed > 0)
      text += name + ": " + std::to_string(figures.failed) + " requests could not be built or are not there\n";
  if (!totals.first_error.empty()) text += "The first error: " + printable(totals.first_error) + "\n";
  return text;
}

}  // namespace

void Totals::add(const std::string& policy, const Figures& figures) {
  for (auto& [name, sums] : policies)
    if (name == policy) {
      sums += figures;
      return;
    }
  policies.emplace_back(policy, figures);
}

std::string table_of(const Heading& heading, const Totals& totals) {
  if (totals.policies.empty()) return "no run to compare\n" + notes_of(heading, totals);
  const auto& all = totals.policies.front().second;
  std::string text = std::to_string(totals.runs) + " runs, " + std::to_string(totals.runs_over_budget) +
                     " of them over " + std::to_string(heading.budget) + " tokens; " + std::to_string(all.steps) +
                     " requests; tokens and prices of " + printable(heading.model) +
                     (heading.is_exact ? "" : " (estimated)") + "\n\n";
  std::vector<std::vector<std::string>> rows{{"policy", "input tokens", "cached", "USD", "x", "rewrites", "compactions",
                                              "literals", "far", "words", "far", "task", "torn", "over"}};
  if (all.asked_back.asked > 0) {
    rows[0].insert(rows[0].end(), {"asked back", "next 3"});
  }
  for (const auto& [name, figures] : totals.policies) rows.push_back(row_of(printable(name), figures, all));
  text += aligned(rows) + forms_of(totals) + "\n" + std::to_string(all.literals) + " literals and " +
          std::to_string(all.words) + " words that a step took from earlier messages, " + std::to_string(all.far) +
          " and " + std::to_string(all.far_words) +
          " of them last seen more than ten turns before: the share that the request still has\n";
  if (all.asked_back.asked > 0)
    text += std::to_string(all.asked_back.asked) + " questions whose answer is further back than half of the budget\n";
  return text + notes_of(heading, totals);
}

std::string json_of(const Heading& heading, const Totals& totals) {
  nlohmann::ordered_json json{{"budget", heading.budget},
                              {"model", heading.model},
                              {"runs", totals.runs},
                              {"runs_over_budget", totals.runs_over_budget},
                              {"runs_left_out", totals.left_out},
                              {"policies", nlohmann::ordered_json::object()}};
  for (const auto& [name, figures] : totals.policies) {
    auto key = name;
    std::replace(key.begin(), key.end(), ' ', '_');
    json["policies"][key] = json_of(figures);
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ctxpack
