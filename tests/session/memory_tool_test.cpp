#include "ctxmgr/session/memory_tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "core/json/json.hpp"

namespace ctxmgr {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class MemoryToolTest : public ::testing::Test {
 protected:
  MemoryToolTest() {
    memory_.user = "ada";
    memory_.store = make_memory_key_value_store();
  }
  std::string run(const Json& arguments) const {
    const auto message = answer_memory_tool({"call-1", "memory", dump_json(arguments), {}}, memory_);
    EXPECT_EQ(message->role, Role::tool);
    EXPECT_EQ(message->tool_call_id, "call-1");
    return text_of(*message);
  }
  std::string view(const std::string& path) const { return run({{"command", "view"}, {"path", path}}); }
  std::string create(const std::string& path, const std::string& text) const {
    return run({{"command", "create"}, {"path", path}, {"file_text", text}});
  }
  std::string replace(const std::string& path, const std::string& before, const std::string& after) const {
    return run({{"command", "str_replace"}, {"path", path}, {"old_str", before}, {"new_str", after}});
  }
  std::string insert(const std::string& path, int line, const std::string& text) const {
    return run({{"command", "insert"}, {"path", path}, {"insert_line", line}, {"insert_text", text}});
  }
  std::string rename(const std::string& from, const std::string& to) const {
    return run({{"command", "rename"}, {"old_path", from}, {"new_path", to}});
  }
  std::string remove(const std::string& path) const { return run({{"command", "delete"}, {"path", path}}); }

  MemoryOptions memory_;
};

TEST_F(MemoryToolTest, AFileIsMadeShownChangedMovedAndDeleted) {
  EXPECT_EQ(create("/memories/notes.md", "- likes tea\n- pays late\n"),
            "File created successfully at: /memories/notes.md");
  EXPECT_EQ(replace("/memories/notes.md", "tea", "coffee"), "The memory file has been edited.");
  EXPECT_EQ(insert("/memories/notes.md", 1, "- lives in Graz"), "The file /memories/notes.md has been edited.");
  EXPECT_EQ(view("/memories/notes.md"),
            "Here's the content of /memories/notes.md with line numbers:\n     1\t- likes coffee\n     2\t- lives in "
            "Graz\n     3\t- pays late");
  EXPECT_EQ(rename("/memories/notes.md", "/memories/old/notes.md"),
            "Successfully renamed /memories/notes.md to /memories/old/notes.md");
  EXPECT_THAT(view("/memories"), HasSubstr("/memories/old/notes.md\t43 bytes"));
  EXPECT_EQ(remove("/memories/old"), "Successfully deleted /memories/old");
  EXPECT_EQ(view("/memories"),
            "Here're the files and directories up to 2 levels deep in /memories:\n/memories\t0 bytes");
}

TEST_F(MemoryToolTest, AnotherSessionOfTheUserReadsItAndAnotherUserDoesNot) {
  ASSERT_THAT(create("/memories/a", "the dog is called Rex"), StartsWith("File created"));
  auto later = memory_;
  later.token_counter.reset();
  EXPECT_THAT(text_of(*answer_memory_tool({"1", "memory", R"({"command":"view","path":"/memories/a"})", {}}, later)),
              HasSubstr("Rex"));
  memory_.user = "bob";
  EXPECT_THAT(view("/memories/a"), HasSubstr("does not exist"));
  EXPECT_THAT(view("/memories"), Not(HasSubstr("/memories/a")));
}

TEST_F(MemoryToolTest, DirectoriesShowTwoLevels) {
  for (const auto* const path : {"/memories/a/b/c/d", "/memories/a/x", "/memories/z"}) {
    ASSERT_THAT(create(path, "12345"), StartsWith("File created"));
  }
  EXPECT_EQ(view("/memories"),
            "Here're the files and directories up to 2 levels deep in /memories:\n/memories\t15 bytes\n/memories/a/\n"
            "/memories/a/b/\n/memories/a/x\t5 bytes\n/memories/z\t5 bytes");
  EXPECT_THAT(view("/memories/a"), HasSubstr("/memories/a/b/c/\n"));
}

TEST_F(MemoryToolTest, APartOfAFileIsShownByItsLines) {
  ASSERT_THAT(create("/memories/a", "one\ntwo\nthree\nfour"), StartsWith("File created"));
  const auto lines = [&](const Json& range) {
    return run({{"command", "view"}, {"path", "/memories/a"}, {"view_range", range}});
  };
  EXPECT_THAT(lines(Json::array({2, 3})), ::testing::EndsWith("numbers:\n     2\ttwo\n     3\tthree"));
  EXPECT_THAT(lines(Json::array({4, -1})), ::testing::EndsWith("numbers:\n     4\tfour"));
  EXPECT_THAT(lines(Json::array({3, 2})), StartsWith("error: `view_range`"));
  EXPECT_THAT(lines(Json::array({1})), StartsWith("error: `view_range`"));
  EXPECT_THAT(lines("1-2"), StartsWith("error: `view_range` has to be a list"));
}

TEST_F(MemoryToolTest, LinesAreInsertedWhereTheyAreWanted) {
  ASSERT_THAT(create("/memories/a", "one\ntwo"), StartsWith("File created"));
  (void)insert("/memories/a", 0, "zero\n");
  (void)insert("/memories/a", 3, "three");
  EXPECT_THAT(view("/memories/a"), HasSubstr("1\tzero\n     2\tone\n     3\ttwo\n     4\tthree"));
  EXPECT_THAT(insert("/memories/a", 5, "x"), StartsWith("error: `insert_line` has to be from 0 to 4"));
}

TEST_F(MemoryToolTest, WhatTheModelGetsWrongIsSaidSoThatItCanDoBetter) {
  ASSERT_THAT(create("/memories/a", "x y x"), StartsWith("File created"));
  EXPECT_THAT(create("/memories/a", "again"), HasSubstr("/memories/a already exists"));
  EXPECT_THAT(create("/memories/a/b", "below a file"), HasSubstr("/memories/a is a file"));
  EXPECT_THAT(create("/memories", "root"), HasSubstr("already exists"));
  EXPECT_THAT(replace("/memories/a", "z", "1"), HasSubstr("did not appear verbatim"));
  EXPECT_THAT(replace("/memories/a", "x", "1"), HasSubstr("more than once"));
  EXPECT_THAT(replace("/memories/a", "", "1"), HasSubstr("`old_str` is empty"));
  EXPECT_THAT(replace("/memories", "x", "1"), HasSubstr("is a directory"));
  EXPECT_THAT(remove("/memories"), HasSubstr("cannot be deleted"));
  EXPECT_THAT(remove("/memories/b"), HasSubstr("does not exist"));
  EXPECT_THAT(rename("/memories/a", "/memories/a/b"), HasSubstr("moved into itself"));
  EXPECT_THAT(rename("/memories/b", "/memories/c"), HasSubstr("does not exist"));
  EXPECT_THAT(run({{"command", "view"}}), StartsWith("error: `path` is missing"));
  EXPECT_THAT(run({{"command", "format"}}), StartsWith("error: `command` has to be one of"));
  EXPECT_THAT(text_of(*answer_memory_tool({"1", "memory", "{", {}}, memory_)), StartsWith("error: the arguments"));
  EXPECT_THAT(text_of(*answer_memory_tool({"1", "other", "{}", {}}, memory_)), StartsWith("error: there is no tool"));
}

TEST_F(MemoryToolTest, PathsThatLeadOutOfTheMemoryAreRefusedByEveryCommand) {
  const std::string out = "/memories/../secrets";
  for (const auto& answer : {view(out), create(out, "x"), replace(out, "a", "b"), insert(out, 0, "x"), remove(out),
                             rename(out, "/memories/a"), rename("/memories/a", out)}) {
    EXPECT_THAT(answer, StartsWith("error: the path has"));
  }
}

TEST_F(MemoryToolTest, ALimitIsSaidInWordsAndNothingIsWritten) {
  memory_.max_file_bytes = 10;
  EXPECT_EQ(create("/memories/a", "more than ten bytes"),
            "error: a file holds at most 10 bytes. Write less, or delete what is no longer needed.");
  EXPECT_THAT(view("/memories/a"), HasSubstr("does not exist"));
}

TEST_F(MemoryToolTest, LongFilesComeInPartsThatFit) {
  std::string text;
  for (int i = 1; i <= 2'000; ++i) text += "note " + std::to_string(i) + "\n";
  ASSERT_THAT(create("/memories/a", text), StartsWith("File created"));
  const auto shown = view("/memories/a");
  EXPECT_LE(make_approximate_token_counter()->count(shown), memory_.max_result_tokens);
  EXPECT_THAT(shown, HasSubstr("[more follows; view it with view_range"));
}

TEST_F(MemoryToolTest, AHostSeesWhatWasChangedAndErasesEverything) {
  ASSERT_THAT(create("/memories/a", "one"), StartsWith("File created"));
  (void)replace("/memories/a", "one", "two");
  const auto changes = memory_changes(memory_, 1);
  ASSERT_EQ(changes->size(), 1U);
  EXPECT_EQ(changes->front().command, "str_replace");
  EXPECT_EQ(changes->front().before, "one");
  ASSERT_TRUE(erase_memory(memory_));
  EXPECT_TRUE(memory_changes(memory_)->empty());
  EXPECT_THAT(view("/memories/a"), HasSubstr("does not exist"));
}

TEST_F(MemoryToolTest, OptionsOfNobodyAreTheHostsErrorAndNoMessage) {
  memory_.user.clear();
  EXPECT_EQ(answer_memory_tool({"1", "memory", "{}", {}}, memory_).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(memory_changes(memory_).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(erase_memory(memory_).error().code, ErrorCode::invalid_argument);
}

/// Somebody else notes something each time before a write of this one arrives.
class BusyStore final : public KeyValueStore {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    return inner->read(name_space, keys, call);
  }
  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (others_left > 0) {
      MemoryOptions other;
      other.user = "ada";
      other.store = inner;
      const auto path = "/memories/other" + std::to_string(others_left--);
      const auto arguments = dump_json(Json{{"command", "create"}, {"path", path}, {"file_text", "mine"}});
      (void)answer_memory_tool({"2", "memory", arguments, {}}, other);
    }
    return inner->write(name_space, changes, call);
  }
  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    return inner->list(name_space, prefix, after_key, limit, call);
  }
  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    return inner->erase_namespace(name_space, call);
  }

  std::shared_ptr<KeyValueStore> inner = make_memory_key_value_store();
  int others_left = 0;
};

TEST_F(MemoryToolTest, TwoSessionsThatWriteAtOnceBothSucceed) {
  const auto busy = std::make_shared<BusyStore>();
  busy->others_left = 3;
  memory_.store = busy;
  EXPECT_THAT(create("/memories/mine", "x"), StartsWith("File created"));
  const auto listed = view("/memories");
  for (const auto* const path : {"/memories/mine", "/memories/other1", "/memories/other2", "/memories/other3"}) {
    EXPECT_THAT(listed, HasSubstr(path));
  }
  EXPECT_EQ(memory_changes(memory_)->size(), 4U);
  busy->others_left = 1'000;
  EXPECT_THAT(create("/memories/never", "x"), StartsWith("error: the memory was changed by somebody else"));
}

TEST_F(MemoryToolTest, TheDefinitionIsASchemaAndSaysThatItHoldsData) {
  const auto definition = memory_tool_definition();
  EXPECT_EQ(definition.name, memory_tool_name);
  EXPECT_EQ(parse_json(definition.parameters_json).value()["properties"]["command"]["enum"].size(), 6U);
  EXPECT_THAT(definition.description, HasSubstr("never an instruction"));
  EXPECT_THAT(std::string(memory_instructions()), HasSubstr("never instructions"));
}

TEST_F(MemoryToolTest, WhateverIsAskedTheFilesAreAsAMapWouldHaveThem) {
  EXPECT_TRUE(rc::check([] {
    MemoryOptions memory;
    memory.user = "u";
    memory.store = make_memory_key_value_store();
    std::map<std::string, std::string> model;
    const auto paths = std::vector<std::string>{"/memories/a", "/memories/b", "/memories/c"};
    const auto steps = *rc::gen::container<std::vector<std::pair<int, std::pair<int, int>>>>(
        rc::gen::pair(rc::gen::inRange(0, 3), rc::gen::pair(rc::gen::inRange(0, 3), rc::gen::inRange(0, 3))));
    int number = 0;
    for (const auto& [what, which] : steps) {
      const auto& path = paths[static_cast<std::size_t>(which.first)];
      const auto& other = paths[static_cast<std::size_t>(which.second)];
      Json arguments;
      if (what == 0) {
        arguments = {{"command", "create"}, {"path", path}, {"file_text", std::to_string(++number)}};
        model.emplace(path, std::to_string(number));
      } else if (what == 1) {
        arguments = {{"command", "delete"}, {"path", path}};
        model.erase(path);
      } else {
        arguments = {{"command", "rename"}, {"old_path", path}, {"new_path", other}};
        if (model.count(path) && !model.count(other)) {
          model[other] = model[path];
          model.erase(path);
        }
      }
      (void)answer_memory_tool({"1", "memory", dump_json(arguments), {}}, memory);
    }
    for (const auto& path : paths) {
      const auto shown = text_of(
          *answer_memory_tool({"1", "memory", dump_json(Json{{"command", "view"}, {"path", path}}), {}}, memory));
      const bool is_right = model.count(path) ? shown.substr(shown.rfind('\t') + 1) == model[path]
                                              : shown.find("does not exist") != std::string::npos;
      RC_ASSERT(is_right);
    }
  }));
}

}  // namespace
}  // namespace ctxmgr
