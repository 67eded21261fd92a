#include "adapters/curl/sse_parser.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ctxmgr::http {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events parse(const std::vector<std::string_view>& pieces) {
  SseParser parser;
  std::vector<SseEvent> events;
  for (const auto piece : pieces) parser.feed(piece, events);
  Events out;
  for (auto& event : events) out.emplace_back(event.type, event.data);
  return out;
}

TEST(SseParserTest, ReadsTypesAndJoinsDataLines) {
  EXPECT_EQ(parse({"event: delta\ndata: one\ndata:two\n\ndata: three\n\n"}),
            (Events{{"delta", "one\ntwo"}, {"", "three"}}));
}

TEST(SseParserTest, SkipsCommentsOtherFieldsAndEventsWithoutData) {
  EXPECT_EQ(parse({": ping\n\nevent: nothing\n\nid: 7\nretry: 10\nunknown\ndata\n\n"}), (Events{{"", ""}}));
}

TEST(SseParserTest, SkipsAByteOrderMark) {
  EXPECT_EQ(parse({"\xEF\xBB\xBF"
                   "data: x\n\n"}),
            (Events{{"", "x"}}));
}

TEST(SseParserTest, DropsAnEventThatTheEndCutsOff) { EXPECT_EQ(parse({"data: a\n\ndata: b\n"}), (Events{{"", "a"}})); }

TEST(SseParserTest, EveryCutAndEveryLineEndGiveTheSameEvents) {
  const std::string with_lf = "\xEF\xBB\xBF: hi\nevent: e\ndata: f\xC3\xBCr\ndata:\n\n\ndata: {\"a\": \"b: c\"}\n\n";
  const Events expected = parse({with_lf});
  ASSERT_EQ(expected.size(), 2U);
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    std::string text;
    for (const char c : with_lf) text += c == '\n' ? end : std::string(1, c);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      EXPECT_EQ(parse({text.substr(0, cut), text.substr(cut)}), expected) << "cut at " << cut;
    }
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(std::string_view(text).substr(i, 1));
    EXPECT_EQ(parse(bytes), expected);
  }
}

TEST(SseParserTest, ALineMayBeAsLongAsAReply) {
  SseParser parser;
  std::vector<SseEvent> events;
  const std::string piece(65536, 'x');
  parser.feed("data: ", events);
  for (int i = 0; i < 100; ++i) parser.feed(piece, events);
  EXPECT_TRUE(events.empty());
  parser.feed("\n\n", events);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].data.size(), 6'553'600U);
}

}  // namespace
}  // namespace ctxmgr::http
