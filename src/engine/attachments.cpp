#include "ctxmgr/engine/attachments.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

#include "core/artifact_ids.hpp"
#include "core/binary_content.hpp"
#include "core/content_format.hpp"
#include "core/utf8.hpp"
#include "ctxmgr/core/json_text.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

constexpr std::size_t max_content_bytes = std::size_t{16} << 20;

tl::unexpected<Error> fail_at(ErrorCode code, std::size_t index, const char* what) {
  return fail(code, "/attachments/" + std::to_string(index) + ": " + what);
}

bool is_reference(const RequestAttachment& attachment) {
  return attachment.content.empty() && !attachment.attachment_id.empty();
}

/// Fills a reference with what was stored under its id.
Result<void> resolve(RequestAttachment& attachment, const std::optional<StoredValue>& stored, std::size_t index) {
  if (!stored) return fail_at(ErrorCode::not_found, index, "no attachment of that id");
  auto found = from_json<RequestAttachment>(stored->value);
  if (!found) return fail_at(ErrorCode::bad_data, index, "the stored value is no attachment");
  attachment.content = std::move(found->content);
  attachment.attachment_type = std::move(found->attachment_type);
  if (attachment.title.empty()) attachment.title = std::move(found->title);
  if (attachment.source.empty()) attachment.source = std::move(found->source);
  return {};
}

/// One read for all references.
Result<void> resolve_references(std::vector<RequestAttachment>& attachments, const AttachmentSource& source,
                                const CallOptions& call) {
  std::vector<std::string> ids;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    if (!is_reference(attachments[i])) continue;
    if (source.store == nullptr) return fail_at(ErrorCode::not_found, i, "given by id, but there is no store");
    ids.push_back(attachments[i].attachment_id);
    places.push_back(i);
  }
  if (ids.empty()) return {};
  const auto stored = guarded([&] { return source.store->read(source.name_space, ids, call); });
  if (!stored) return tl::unexpected(stored.error());
  if (stored->size() != ids.size()) return fail(ErrorCode::internal, "the store returned another number of values");
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto resolved = resolve(attachments[places[i]], (*stored)[i], places[i]);
    if (!resolved) return resolved;
  }
  return {};
}

/// The name that people know it by: the title, or what ends its path, or its id.
std::string name_of_attachment(const RequestAttachment& attachment) {
  if (!attachment.title.empty()) return attachment.title;
  const std::string_view source = attachment.source;
  const std::string_view file = source.substr(source.rfind('/') + 1);
  return !file.empty() ? std::string(file) : attachment.attachment_id;
}

Artifact attached_artifact(RequestAttachment attachment, std::size_t index, UniqueIds& ids) {
  const std::string name = utf8::repair(name_of_attachment(attachment));
  const std::string label = name.empty() ? std::to_string(index) : name;
  Artifact artifact;
  artifact.artifact_id = ids.make("attachment_" + id_part(label));
  artifact.content =
      utf8::is_valid(attachment.content) ? std::move(attachment.content) : utf8::repair(attachment.content);
  artifact.content_format = format_of_name(name);
  artifact.source = "attachment:" + label;
  const auto note = [&artifact](const char* key, const std::string& value) {
    if (!value.empty()) artifact.metadata[key] = utf8::repair(value);
  };
  note("title", attachment.title);
  note("attachment_id", attachment.attachment_id);
  note("attachment_source", attachment.source);
  note("attachment_type", attachment.attachment_type);
  return artifact;
}

}  // namespace

Result<void> store_attachment(const AttachmentSource& source, const RequestAttachment& attachment,
                              const CallOptions& call) {
  if (source.store == nullptr) return fail(ErrorCode::invalid_argument, "there is no attachment store");
  if (attachment.attachment_id.empty()) return fail(ErrorCode::invalid_argument, "attachment_id is missing");
  if (attachment.content.empty()) return fail(ErrorCode::invalid_argument, "content is missing");
  if (attachment.content.size() > max_content_bytes) {
    return fail(ErrorCode::limit_exceeded, "an attachment may have 16 MiB");
  }
  KeyValueWrite write;
  write.key = attachment.attachment_id;
  write.value = to_json(attachment);
  return guarded([&] { return source.store->write(source.name_space, {write}, call); }).map([](std::uint64_t) {});
}

Result<std::vector<Artifact>> attachments_to_artifacts(const std::vector<RequestAttachment>& attachments,
                                                       const AttachmentSource& source, const CallOptions& call) {
  std::vector<RequestAttachment> resolved = attachments;
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    if (resolved[i].content.empty() && resolved[i].attachment_id.empty()) {
      return fail_at(ErrorCode::invalid_argument, i, "needs content or attachment_id");
    }
  }
  auto found = resolve_references(resolved, source, call);
  if (!found) return tl::unexpected(std::move(found.error()));
  const Timestamp now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  std::vector<Artifact> out;
  UniqueIds ids;
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    if (resolved[i].content.size() > max_content_bytes) {
      return fail_at(ErrorCode::limit_exceeded, i, "content may have 16 MiB");
    }
    if (is_binary(resolved[i].content))
      return fail_at(ErrorCode::invalid_argument, i, "content is binary: give the text that is in it");
    out.push_back(attached_artifact(std::move(resolved[i]), i, ids));
    out.back().timestamp = now;
  }
  return out;
}

}  // namespace ctxmgr
