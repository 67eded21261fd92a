#include "session/entry_label.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ctxmgr {
namespace {

TEST(ContextEntryTest, EveryLabelComesBack) {
  for (const auto trust : {Trust::untrusted, Trust::trusted}) {
    for (const bool read_only : {false, true}) {
      for (const auto type : {std::optional<ArtifactType>(),
                              {ArtifactType::tool_result},
                              {ArtifactType::document},
                              {ArtifactType::conversation}}) {
        const auto stored = encode_entry({trust, read_only, type}, "value");
        const auto label = decode_label(stored).value();
        EXPECT_EQ(label.trust, trust);
        EXPECT_EQ(label.read_only, read_only);
        EXPECT_EQ(label.left_out, type);
        EXPECT_EQ(stored.substr(entry_label_bytes), "value");
      }
    }
  }
}

TEST(ContextEntryTest, OtherBytesAreNoEntry) {
  for (const auto* bytes : {"", "1uo", "2uo-", "1xo-", "1ux-", "1uo?"}) EXPECT_FALSE(decode_label(bytes)) << bytes;
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const auto label = decode_label(bytes);
    RC_ASSERT((!label || encode_entry(*label, bytes.substr(entry_label_bytes)) == bytes));
  }));
}

}  // namespace
}  // namespace ctxmgr
