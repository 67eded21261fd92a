#include "engine/history/task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ctxmgr::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = RequestState;

std::vector<TaskRequest> chosen(const std::vector<std::int64_t>& tokens, const std::set<std::size_t>& finished = {},
                                const std::set<std::size_t>& answered = {}) {
  std::vector<std::size_t> requests;
  std::vector<State> states;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    requests.push_back(i);
    states.push_back(finished.contains(i) ? State::finished : answered.contains(i) ? State::answered : State::open);
  }
  return choose_task(
      requests, 1'000, [&](std::size_t i) { return tokens[i]; }, states);
}

std::vector<std::size_t> messages_of(const std::vector<TaskRequest>& choice) {
  std::vector<std::size_t> messages;
  for (const auto& request : choice) messages.push_back(request.message);
  return messages;
}

TEST(TaskTest, TheFirstMessageTheNewestThatIsLongEnoughAndTheLastOneStay) {
  EXPECT_THAT(messages_of(chosen({500, 300, 30, 5, 6, 7, 8})), ElementsAre(0, 2, 6));
  EXPECT_THAT(messages_of(chosen({5, 29, 20})), ElementsAre(0, 2)) << "shorter ones change the task and are none";
  EXPECT_THAT(messages_of(chosen({500, 5, 6})), ElementsAre(0, 2));
}

TEST(TaskTest, AFinishedRequestThatWouldFillTheRoomIsNotTheTask) {
  EXPECT_THAT(messages_of(chosen({40, 600, 30, 5}, {1, 2})), ElementsAre(0, 2, 3));
  EXPECT_THAT(messages_of(chosen({40, 600, 5}, {1})), ElementsAre(0, 2));
  EXPECT_THAT(messages_of(chosen({40, 600, 5})), ElementsAre(0, 1, 2)) << "it is not finished";
  EXPECT_THAT(messages_of(chosen({600, 5}, {0})), ElementsAre(0, 1)) << "the thread began with it";
}

TEST(TaskTest, ALongRequestThatWasAnsweredAndMayGoOnHasAQuarterOfTheRoom) {
  EXPECT_THAT(chosen({40, 600, 5}, {}, {1}), ElementsAre(TaskRequest{0}, TaskRequest{1, true}, TaskRequest{2}));
  EXPECT_THAT(chosen({40, 600, 5}), ElementsAre(TaskRequest{0}, TaskRequest{1}, TaskRequest{2}));
  EXPECT_THAT(chosen({600, 5}, {}, {0}), ElementsAre(TaskRequest{0}, TaskRequest{1}));
}

TEST(TaskTest, NothingAskedIsNoTask) { EXPECT_THAT(chosen({}), IsEmpty()); }

ConversationMessage asked(const std::string& text) { return {Role::user, text}; }
ConversationMessage replied(const std::string& text) { return {Role::assistant, text}; }
ConversationMessage a_call() {
  ConversationMessage message{Role::assistant, "Looking."};
  message.tool_calls.push_back({"a", "search", "{}"});
  return message;
}
ConversationMessage a_result() {
  ConversationMessage message{Role::tool, "found"};
  message.tool_call_id = "a";
  return message;
}

std::vector<State> states_of(const std::vector<ConversationMessage>& history) {
  ThreadRoles roles;
  roles.extend(history);
  return states_of_requests(history, roles.asked(), roles);
}

TEST(TaskTest, ARequestIsFinishedByItsOwnAnswerAndAnotherRequest) {
  EXPECT_THAT(states_of({asked("Port the parser."), replied("Done."), asked("Then do the other one."), a_call(),
                         a_result(), asked("Now write the page.")}),
              ElementsAre(State::finished, State::open, State::open));
}

TEST(TaskTest, MessagesBehindOneAnotherHaveOneAnswer) {
  EXPECT_THAT(states_of({asked("Read it all."), asked("And sort it."), replied("done"), asked("then do the third")}),
              ElementsAre(State::finished, State::finished, State::open));
}

TEST(TaskTest, AQuestionBesideTheTaskDoesNotEndIt) {
  const std::string task = "Port every file under src to the new names. Never touch the vendor folder.";
  for (const char* const aside :
       {"Is the first file done?", "Tell me how far you are.", "Ist die erste Datei fertig?", "第一个文件完成了吗？",
        "By the way: how many files are there? I have to tell my boss."}) {
    const auto answers = {replied("Yes."), replied("Yes, it is. Shall I go on?")};
    for (const auto& answer : answers) {
      EXPECT_EQ(states_of({asked(task), a_call(), a_result(), asked(aside), answer, a_call(), a_result()}).front(),
                State::open);
      EXPECT_EQ(states_of({asked(task), a_call(), a_result(), asked(aside), answer, asked("Go on."), a_call()}).front(),
                State::open);
      EXPECT_EQ(states_of({asked(task), a_call(), a_result(), asked(aside), answer,
                           asked("Good, then please carry on."), a_call(), a_result()})
                    .front(),
                State::open)
          << "it was interrupted: the answer is that of the question";
      EXPECT_EQ(states_of({asked(task), a_call(), a_result(), replied("The first one is done."), asked(aside), answer,
                           asked("Good, carry on."), a_call(), a_result()})
                    .front(),
                State::answered)
          << aside;
    }
  }
}

TEST(TaskTest, AQuestionBesideTheTaskIsFinishedByItsAnswer) {
  const auto states = states_of({asked("Port every file under src to the new names, please."), a_call(), a_result(),
                                 asked("Is the first file done?"), replied("Yes."), asked("Then do the tests next.")});
  EXPECT_THAT(states, ElementsAre(State::open, State::finished, State::open));
}

TEST(TaskTest, WhoIsAskedBackHasNoAnswer) {
  EXPECT_EQ(
      states_of({asked("Port the parser."), replied("To which version?"), asked("To the one of last Monday.")}).front(),
      State::open);
}

TEST(TaskTest, WhoSaysOnlyToGoOnHasNotFinishedWhatWasAskedBefore) {
  const auto state = [](const char* last) {
    return states_of({asked("Find out why leases are lost."), replied("I am looking."), asked(last)}).front();
  };
  for (const char* const goes_on : {"Go on.", "yes", "Bitte mach weiter", "\u7ee7\u7eed", ""})
    EXPECT_EQ(state(goes_on), State::open) << goes_on;
  for (const char* const beside : {"Why?", "Tell me more"}) EXPECT_EQ(state(beside), State::answered) << beside;
  for (const char* const more : {"Read docs/fees.md", "Now do the other one.", "Vergleichsuntersuchungen!"})
    EXPECT_EQ(state(more), State::finished) << more;
}

}  // namespace
}  // namespace ctxmgr::engine
