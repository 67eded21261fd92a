#include <algorithm>

#include "ctxmgr/engine/tool_search.hpp"
#include "engine/tools/tool_choice.hpp"
#include "support/build_fixture.hpp"

namespace ctxmgr {
namespace {

std::string parameters(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string json = R"({"type":"object","properties":{)";
  for (const auto& [name, description] : members) {
    if (json.back() != '{') json += ',';
    json += '"' + name + R"(":{"type":"string","description":")" + description + "\"}";
  }
  return json + "}}";
}

const std::vector<ToolDefinition> office = {
    {"create_calendar_event", "Adds an appointment to the schedule.",
     parameters(
         {{"title", "What it is called"}, {"start", "Date and time, ISO 8601"}, {"attendees", "Who to invite"}})},
    {"list_calendar_events", "Shows appointments of a period.", parameters({{"from", "First day"}, {"until", "Last"}})},
    {"send_email", "Delivers a message to one or more people.",
     parameters({{"to", "Addresses"}, {"subject", "One line"}, {"body", "The text itself"}})},
    {"search_inbox", "Finds messages by sender or text.", parameters({{"sender", "Address"}, {"text", "Words in it"}})},
    {"get_weather_forecast", "Temperature, rain and wind of the coming days.",
     parameters({{"place", "City or coordinates"}, {"days", "How many days ahead"}})},
    {"convert_currency", "Exchanges an amount at the latest rate.",
     parameters({{"amount", "How much"}, {"source", "Such as EUR for euros"}, {"target", "Such as USD for dollars"}})},
    {"translate_text", "Puts a passage into another language.",
     parameters({{"passage", "What to translate"}, {"language", "Such as French or Polish"}})},
    {"book_hotel_room", "Reserves accommodation.",
     parameters(
         {{"city", "Where"}, {"check_in", "First night"}, {"nights", "Length of the stay"}, {"guests", "Number"}})},
    {"search_flights", "Lists connections between airports.",
     parameters({{"origin", "Code of the airport"}, {"destination", "Likewise"}, {"departure", "Day"}})},
    {"get_stock_quote", "The latest price of a share.", parameters({{"ticker", "Symbol at the exchange"}})},
    {"create_invoice", "Bills a customer.",
     parameters({{"customer_id", "Who pays"}, {"lines", "Articles with their prices"}, {"due", "Last day to pay"}})},
    {"refund_payment", "Returns what a buyer paid.",
     parameters({{"order_id", "Number of the order"}, {"amount", "Money to give back"}, {"reason", "Why"}})},
    {"track_shipment", "Tells where a parcel is.",
     parameters({{"tracking_number", "Number on the package"}, {"carrier", "Who delivers it"}})},
    {"query_database", "Runs a read-only statement.", parameters({{"sql", "One SELECT"}, {"limit", "Rows at most"}})},
    {"create_support_ticket", "Opens a case for the help desk.",
     parameters({{"title", "One line"}, {"severity", "low, normal or urgent"}, {"details", "What happened"}})},
    {"assign_task", "Gives work to a member of the team.", parameters({{"task_id", "Which"}, {"assignee", "Whom"}})},
    {"set_reminder", "Alerts the user at a moment.",
     parameters({{"text", "What to be told"}, {"at", "Time to wake up"}})},
    {"play_music", "Starts a track or a playlist.",
     parameters({{"query", "Artist, album or song"}, {"device", "Where"}})},
    {"set_thermostat", "Changes the heating's target.",
     parameters({{"room", "Kitchen, living room, ..."}, {"degrees", "Celsius"}})},
    {"lock_door", "Secures an entrance.", parameters({{"door", "front, back or garage"}})},
    {"resize_image", "Scales a file.",
     parameters({{"path", "The picture or photo"}, {"width", "Pixels"}, {"height", "Pixels"}})},
    {"transcribe_audio", "Turns speech to text.",
     parameters({{"path", "A recording, mp3 or wav"}, {"language", "That is spoken"}})},
    {"summarize_document", "Says in short what a file has.", parameters({{"path", "The file"}, {"words", "At most"}})},
    {"get_directions", "Finds a route.",
     parameters({{"origin", "Address"}, {"destination", "Address"}, {"mode", "by car, by train, on foot"}})},
    {"restart_service", "Stops a process and launches it.",
     parameters({{"service", "Name of the server or job"}, {"host", "The machine"}})},
};

struct AskedTool {
  const char* question;
  const char* tool;
};

constexpr AskedTool questions[] = {
    {"Put dinner with Ana into my calendar for Friday at seven.", "create_calendar_event"},
    {"How many dollars do I get for three hundred euros?", "convert_currency"},
    {"Will I need an umbrella in Bergen tomorrow?", "get_weather_forecast"},
    {"Where has my package got to?", "track_shipment"},
    {"The kettle came broken, Mrs Long wants her money back.", "refund_payment"},
    {"It is too cold in the living room, make it 21.", "set_thermostat"},
    {"Write down what was said in interview.mp3.", "transcribe_audio"},
    {"What does this sign say in French?", "translate_text"},
    {"We want to sleep in Rome for two nights.", "book_hotel_room"},
    {"How do I get from the office to Elm Street on foot?", "get_directions"},
    {"The login server hangs again, bring it up anew.", "restart_service"},
    {"Make this picture smaller.", "resize_image"},
};

class ToolQuestionsTest : public testing::BuildTest {
 protected:
  ToolQuestionsTest() {
    request_.tools = office;
    request_.tools_budget = 600;
  }

  BuiltContext asked(const char* question) {
    context_ = {};
    say(Role::user, question);
    auto result = build(5'000);
    EXPECT_TRUE(result);
    return std::move(*result);
  }
};

TEST_F(ToolQuestionsTest, QuestionsInOtherWordsFindMostOfTheirTools) {
  int found = 0;
  for (const AskedTool& asks : questions) {
    const auto tools = asked(asks.question).tools;
    const bool sent = std::any_of(tools.begin(), tools.end(), [&](const auto& tool) { return tool.name == asks.tool; });
    found += sent ? 1 : 0;
    if (!sent) RecordProperty(asks.tool, asks.question);
  }
  EXPECT_GE(found, 10);
}

TEST_F(ToolQuestionsTest, NearlyTheWholeBudgetIsUsed) {
  std::int64_t used = 0;
  for (const AskedTool& asks : questions) {
    const auto tokens = asked(asks.question).metadata.tools_tokens;
    EXPECT_LE(tokens, 600);
    used += tokens;
  }
  EXPECT_GE(used, 95 * 600 * std::ssize(questions) / 100);
}

}  // namespace
}  // namespace ctxmgr
