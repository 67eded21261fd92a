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

struct MeasureNames {
  Measure measure;
  const char* column;
  const char* key;
  const char* explained;  ///< Behind the number of texts; empty where nothing is said.
};

constexpr MeasureNames measure_names[] = {
    {Measure::literals, "literals", "literals", "literals that a step took from earlier messages"},
    {Measure::far_literals, "far", "far_literals", "of them last seen more than ten replies before"},
    {Measure::words, "words", "words", "words that a step took from earlier messages"},
    {Measure::far_words, "far", "far_words", "of them last seen more than ten replies before"},
    {Measure::outcomes, "state", "outcomes", "newest outcomes of edits and of commands that were run twice"},
    {Measure::texts, "text", "texts", "edits of lines that an earlier message has"},
    {Measure::demands, "demands", "demands", "messages of the user"},
    {Measure::rules, "rules", "rules", "times that a rule lay far back"},
    {Measure::task_recall, "task recall", "task_recall", "tasks whose answer lies far back"},
    {Measure::asked_back, "asked back", "asked_back", "questions whose answer lies far back"},
    {Measure::asked_back_next, "next 3", "asked_back_next", ""}};

/// Those that have a column: something was wanted.
std::vector<MeasureNames> measures_of(const Figures& everything) {
  std::vector<MeasureNames> measures;
  for (const auto& names : measure_names)
    if (everything.recall(names.measure).asked > 0) measures.push_back(names);
  return measures;
}

std::string ratio(double part, double whole, int digits) { return whole > 0 ? number(part / whole, digits) : "-"; }

std::vector<std::string> heading_row(const Heading& heading, const std::vector<MeasureNames>& measures) {
  std::vector<std::string> row{"policy", "input tokens", "cached", "USD", "x", "rewrites", "steps/compaction"};
  if (heading.price == Price::local)
    row = {"policy", "input tokens", "evaluated", "a turn", "x", "rewrites", "steps/compaction"};
  for (const auto& names : measures) row.emplace_back(names.column);
  row.insert(row.end(), {"torn", "over"});
  return row;
}

std::vector<std::string> row_of(const std::string& name, const Figures& figures, const Figures& everything,
                                Price price) {
  std::vector<std::string> row{name, std::to_string(figures.tokens)};
  const auto steps = static_cast<double>(figures.steps);
  if (price == Price::local) {
    const auto evaluated = static_cast<double>(figures.evaluated);
    row.insert(row.end(), {std::to_string(figures.evaluated), ratio(evaluated, steps, 0),
                           ratio(evaluated, static_cast<double>(everything.evaluated), 2)});
  } else {
    row.insert(row.end(),
               {percent(static_cast<double>(figures.cached), figures.tokens),
                price == Price::model ? number(figures.usd, 4) : "-", ratio(figures.usd, everything.usd, 2)});
  }
  row.insert(row.end(), {std::to_string(figures.rewrites), ratio(steps, static_cast<double>(figures.compactions), 1)});
  for (const auto& names : measures_of(everything)) row.push_back(percent(figures.recall(names.measure)));
  row.insert(row.end(), {std::to_string(figures.torn), std::to_string(figures.over_budget)});
  return row;
}

/// A table for each measure whose texts have forms, such as the answers by the form of the question.
std::string forms_of(const Totals& totals) {
  const auto& everything = totals.policies.front().second;
  std::string text;
  for (const auto& names : measures_of(everything)) {
    std::vector<std::string> forms;
    for (const auto& [key, unused] : everything.recalls)
      if (key.first == names.measure && !key.second.empty()) forms.push_back(key.second);
    if (forms.empty()) continue;
    std::vector<std::vector<std::string>> rows{{names.column}, {"wanted"}};
    for (const auto& form : forms) {
      rows[0].push_back(printable(form));
      rows[1].push_back(std::to_string(everything.recall(names.measure, form).asked));
    }
    for (const auto& [name, figures] : totals.policies) {
      auto& row = rows.emplace_back(std::vector{printable(name)});
      for (const auto& form : forms) row.push_back(percent(figures.recall(names.measure, form)));
    }
    text += "\n" + aligned(rows);
  }
  return text;
}

nlohmann::ordered_json json_of(const Recall& recall) { return {{"asked", recall.asked}, {"found", recall.found}}; }

nlohmann::ordered_json json_of(const Figures& figures) {
  nlohmann::ordered_json json{
      {"steps", figures.steps},   {"failed", figures.failed},        {"over_budget", figures.over_budget},
      {"tokens", figures.tokens}, {"cached_tokens", figures.cached}, {"evaluated_tokens", figures.evaluated},
      {"usd", figures.usd},       {"rewrites", figures.rewrites},    {"compactions", figures.compactions},
      {"torn", figures.torn}};
  for (const auto& names : measure_names) {
    const auto recall = figures.recall(names.measure);
    if (names.measure <= Measure::far_words) {
      json[names.key] = recall.asked;
      json[std::string(names.key) + "_kept"] = static_cast<std::int64_t>(recall.found);
    } else if (recall.asked > 0) {
      json[names.key] = json_of(recall);
    }
  }
  for (const auto& [key, recall] : figures.recalls)
    if (!key.second.empty())
      json[std::string(measure_names[static_cast<std::size_t>(key.first)].key) + "_by_form"][key.second] =
          json_of(recall);
  return json;
}

std::string notes_of(const Heading& heading, const Totals& totals) {
  std::string text;
  if (heading.price == Price::unknown)
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
                     " requests; " + (heading.price == Price::local ? "tokens" : "tokens and prices") + " of " +
                     printable(heading.model) + (heading.is_exact ? "" : " (estimated)") + "\n\n";
  const auto measures = measures_of(all);
  std::vector<std::vector<std::string>> rows{heading_row(heading, measures)};
  for (const auto& [name, figures] : totals.policies)
    rows.push_back(row_of(printable(name), figures, all, heading.price));
  text += aligned(rows) + forms_of(totals);
  for (const auto& names : measures)
    if (*names.explained != '\0')
      text += (names.measure == measures.front().measure ? "\n" : "") +
              std::to_string(all.recall(names.measure).asked) + " " + names.explained + "\n";
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
