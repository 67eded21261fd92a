#include "ctxmgr/ports/observer.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace ctxmgr {
namespace {

TEST(ObserverTest, HandsEachEventToTheFunction) {
  std::vector<std::string> heard;
  const auto observer = make_observer([&](const Event& event) {
    heard.push_back(std::string(event.scope) + " " + std::string(to_string(event.kind)) + " " +
                    std::string(event.fields.at(0).name));
  });
  observer->on_event({EventKind::cache_lookup, "thread-1", {{"hit", std::int64_t{1}}}});
  EXPECT_EQ(heard, std::vector<std::string>{"thread-1 cache_lookup hit"});
}

TEST(ObserverTest, DropsWhatTheFunctionThrows) {
  const auto observer = make_observer([](const Event&) { throw std::runtime_error("observer"); });
  EXPECT_NO_THROW(observer->on_event({}));
  EXPECT_NO_THROW(make_observer({})->on_event({}));
}

TEST(ObserverTest, EveryKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(EventKind::warning);
  for (int kind = 0; kind <= last; ++kind) names.insert(to_string(static_cast<EventKind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(to_string(EventKind::artifact_shortened), "artifact_shortened");
}

}  // namespace
}  // namespace ctxmgr
