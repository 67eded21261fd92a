#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/engine/retriever.hpp"

namespace ctxmgr {
namespace {

constexpr std::string_view customers[] = {"Ada",  "Bruno", "Carla", "Dmitri", "Elena", "Farid", "Greta",
                                          "Hugo", "Ines",  "Jonas", "Katja",  "Luis",  "Mara",  "Nils"};
constexpr std::string_view cities[] = {"Athens", "Berlin", "Dublin", "Helsinki", "Lisbon", "Madrid",
                                       "Oslo",   "Paris",  "Prague", "Rome",     "Vienna"};
constexpr std::string_view states[] = {"shipped", "pending", "cancelled", "returned", "delivered"};

/// One of 1 200 records; each name and city are together in seven or eight of them.
std::string record(std::size_t i) {
  return R"({"id": )" + std::to_string(1000 + i) + R"(, "customer": ")" +
         std::string(customers[i % std::size(customers)]) + R"(", "city": ")" +
         std::string(cities[i % std::size(cities)]) + R"(", "status": ")" +
         std::string(states[i / 7 % std::size(states)]) + R"(", "amount": )" + std::to_string(i * 7919 % 90'001) +
         R"(.25, "date": "2025-)" + std::to_string(10 + i % 3) + "-" + std::to_string(10 + i % 19) + R"("})";
}

Artifact result_of_records() {
  Artifact artifact;
  artifact.artifact_id = "orders";
  artifact.artifact_type = ArtifactType::tool_result;
  for (std::size_t i = 0; i < 1'200; ++i) artifact.content += (i == 0 ? "[" : ", ") + record(i);
  artifact.content += "]";
  return artifact;
}

/// The members from one id to the next, as far as they are shown.
std::string_view shown_of(std::string_view text, std::size_t i) {
  const auto begin = text.find("\"id\": " + std::to_string(1000 + i));
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find("\"id\"", begin + 1) - begin);
}

TEST(RecordsTest, OfATablesRowsThoseThatAreAskedForByTwoFieldsComeWithBoth) {
  const Retriever retriever;
  const auto counter = make_approximate_token_counter();
  const std::vector<Artifact> artifacts{result_of_records()};
  for (const std::size_t asked : {3U, 40U, 77U}) {
    const std::string name(customers[asked % std::size(customers)]);
    const std::string city(cities[asked % std::size(cities)]);
    SelectionRequest request;
    request.query = "Which orders of " + name + " in " + city + " are there, and what is their status?";
    request.budget_tokens = 1'000;
    const auto selection = retriever.select(artifacts, request, *counter);
    ASSERT_EQ(selection.chosen.size(), 1U);
    for (std::size_t i = asked % 154; i < 1'200; i += 154) {
      const auto shown = shown_of(selection.chosen[0].text, i);
      EXPECT_NE(shown.find(name), std::string_view::npos) << record(i) << " in\n" << selection.chosen[0].text;
      EXPECT_NE(shown.find(city), std::string_view::npos) << record(i);
      EXPECT_NE(shown.find(states[i / 7 % std::size(states)]), std::string_view::npos) << record(i);
    }
  }
}

}  // namespace
}  // namespace ctxmgr
