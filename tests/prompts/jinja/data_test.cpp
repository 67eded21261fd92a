#include "prompts/jinja/render.hpp"

namespace ctxmgr {
namespace {

using testing::exceeds;
using testing::refused;
using testing::rendered;

TEST(TemplateDataTest, KeepsTypesAndOrder) {
  EXPECT_EQ(rendered("{{ x }}", R"({"x": {"b": 1, "a": [1.0, -0.0, 1e2, true, null, "s"]}})"),
            "{'b': 1, 'a': [1.0, -0.0, 100.0, True, None, 's']}");
}

TEST(TemplateDataTest, NamesThePlaceOfWhatItCannotHold) {
  EXPECT_EQ(rendered("", "{\"a\":\n[1, 18446744073709551615]}"),
            "error: limit_exceeded: data: line 2: an integer of more than 64 bits is not supported");
  EXPECT_EQ(rendered("", "[1]"), "error: invalid_argument: data: expected an object");
  EXPECT_EQ(rendered("", "{").rfind("error: invalid_argument: data: ", 0), 0U);
}

}  // namespace
}  // namespace ctxmgr
