#include "ctxmgr/engine/attachments.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace ctxmgr {
namespace {

AttachmentSource memory_source(std::string name_space = "tenant") {
  return {make_memory_key_value_store(), std::move(name_space)};
}

RequestAttachment by_value(std::string content, std::string title = {}) {
  RequestAttachment attachment;
  attachment.content = std::move(content);
  attachment.title = std::move(title);
  return attachment;
}

RequestAttachment by_id(std::string id) {
  RequestAttachment attachment;
  attachment.attachment_id = std::move(id);
  return attachment;
}

TEST(AttachmentsTest, AnAttachmentIsAsOldAsTheCall) {
  const auto before = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto artifacts = attachments_to_artifacts({by_value("a"), by_value("b")});
  ASSERT_TRUE(artifacts);
  EXPECT_GE(artifacts->at(0).timestamp, before);
  EXPECT_EQ(artifacts->at(0).timestamp, artifacts->at(1).timestamp);
}

TEST(AttachmentsTest, ContentBecomesADocumentNamedAfterItsTitle) {
  const auto artifacts = attachments_to_artifacts({by_value("# A", "report.md")});
  ASSERT_TRUE(artifacts);
  const Artifact& artifact = artifacts->at(0);
  EXPECT_EQ(artifact.artifact_id, "attachment_report.md");
  EXPECT_EQ(artifact.source, "attachment:report.md");
  EXPECT_EQ(artifact.artifact_type, ArtifactType::document);
  EXPECT_EQ(artifact.content_format, ContentFormat::markdown);
  EXPECT_EQ(artifact.trust, Trust::untrusted);
  EXPECT_EQ(artifact.metadata.at("title"), "report.md");
}

TEST(AttachmentsTest, IdsAreUniqueAndEachHasAName) {
  RequestAttachment with_path = by_value("x");
  with_path.source = "https://example.org/files/report.md";
  const auto artifacts = attachments_to_artifacts({by_value("a", "report.md"), with_path, by_value("c")});
  ASSERT_TRUE(artifacts);
  EXPECT_EQ(artifacts->at(0).artifact_id, "attachment_report.md");
  EXPECT_EQ(artifacts->at(1).artifact_id, "attachment_report.md_2");
  EXPECT_EQ(artifacts->at(1).metadata.at("attachment_source"), "https://example.org/files/report.md");
  EXPECT_EQ(artifacts->at(2).artifact_id, "attachment_2");
}

TEST(AttachmentsTest, StoredOnesAreFoundById) {
  const AttachmentSource source = memory_source();
  RequestAttachment stored = by_value("text", "old title");
  stored.attachment_id = "a/1 \xC3\xA9";
  ASSERT_TRUE(store_attachment(source, stored));
  RequestAttachment reference = by_id(stored.attachment_id);
  const auto artifacts = attachments_to_artifacts({by_value("first"), reference}, source);
  ASSERT_TRUE(artifacts);
  EXPECT_EQ(artifacts->at(1).content, "text");
  EXPECT_EQ(artifacts->at(1).metadata.at("title"), "old title");
  reference.title = "new title";
  EXPECT_EQ(attachments_to_artifacts({reference}, source)->at(0).metadata.at("title"), "new title");
}

TEST(AttachmentsTest, ContentGoesBeforeWhatIsStored) {
  RequestAttachment both = by_value("mine");
  both.attachment_id = "nowhere";
  EXPECT_EQ(attachments_to_artifacts({both})->at(0).content, "mine");
}

TEST(AttachmentsTest, ErrorsSayWhichAttachmentAndWhy) {
  const AttachmentSource source = memory_source();
  const auto neither = attachments_to_artifacts({by_value("x"), RequestAttachment{}}, source);
  EXPECT_EQ(neither.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(neither.error().message, "/attachments/1: needs content or attachment_id");
  EXPECT_EQ(attachments_to_artifacts({by_id("unknown")}, source).error().code, ErrorCode::not_found);
  EXPECT_EQ(attachments_to_artifacts({by_id("unknown")}).error().code, ErrorCode::not_found);
  const auto huge = attachments_to_artifacts({by_value(std::string((16U << 20) + 1, 'x'))});
  EXPECT_EQ(huge.error().code, ErrorCode::limit_exceeded);
}

TEST(AttachmentsTest, OneTenantsAttachmentsAreNotAnothers) {
  const AttachmentSource source = memory_source("one");
  RequestAttachment stored = by_value("text");
  stored.attachment_id = "a";
  ASSERT_TRUE(store_attachment(source, stored));
  EXPECT_EQ(attachments_to_artifacts({by_id("a")}, {source.store, "two"}).error().code, ErrorCode::not_found);
}

TEST(AttachmentsTest, AStoredValueThatIsNoneIsBadData) {
  const AttachmentSource source = memory_source();
  KeyValueWrite write;
  write.key = "a";
  write.value = "plain";
  ASSERT_TRUE(source.store->write(source.name_space, {write}, {}));
  EXPECT_EQ(attachments_to_artifacts({by_id("a")}, source).error().code, ErrorCode::bad_data);
}

TEST(AttachmentsTest, StoringNeedsIdContentAndAStore) {
  RequestAttachment whole = by_value("text");
  whole.attachment_id = "a";
  EXPECT_EQ(store_attachment({}, whole).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(store_attachment(memory_source(), by_value("text")).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(store_attachment(memory_source(), by_id("a")).error().code, ErrorCode::invalid_argument);
}

class SecretThrowingStore : public KeyValueStore {
 public:
  Result<std::vector<std::optional<StoredValue>>> read(std::string_view, const std::vector<std::string>&,
                                                       const CallOptions&) override {
    throw std::runtime_error("secret");
  }
  Result<std::uint64_t> write(std::string_view, const std::vector<KeyValueWrite>&, const CallOptions&) override {
    throw 7;
  }
  Result<std::vector<KeyInfo>> list(std::string_view, std::string_view, std::string_view, std::size_t,
                                    const CallOptions&) override {
    return std::vector<KeyInfo>{};
  }
  Result<void> erase_namespace(std::string_view, const CallOptions&) override { return {}; }
};

TEST(AttachmentsTest, AStoreThatThrowsIsAnErrorWithoutItsText) {
  const AttachmentSource source{std::make_shared<SecretThrowingStore>(), ""};
  const auto error = attachments_to_artifacts({by_id("a")}, source).error();
  EXPECT_EQ(error.code, ErrorCode::internal);
  EXPECT_EQ(error.message.find("secret"), std::string::npos);
  RequestAttachment whole = by_value("text");
  whole.attachment_id = "a";
  EXPECT_EQ(store_attachment(source, whole).error().code, ErrorCode::internal);
}

}  // namespace
}  // namespace ctxmgr
