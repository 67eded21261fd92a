#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/core/artifact.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/ports/key_value_store.hpp"

namespace ctxmgr {

/// Where attachments given by id are found. One namespace for each tenant, since ids may be guessed.
struct AttachmentSource {
  std::shared_ptr<KeyValueStore> store{};  ///< Null: attachments are given by value only.
  std::string name_space{};
};

/// Keeps an attachment under its id, for later requests to name. `invalid_argument` without an id, content or store;
/// otherwise the store's errors.
[[nodiscard]] CTXMGR_API Result<void> store_attachment(const AttachmentSource& source,
                                                       const RequestAttachment& attachment,
                                                       const CallOptions& call = {});

/// Attachments as artifacts with ids of their own: `attachment_report.pdf`. Stored ones are looked up at once. Title
/// and source of the request go before the stored ones. Errors are `invalid_argument` for one with neither
/// content nor id, or with content that is no text (a PDF, an image), and `not_found` for an unknown id. Content over
/// 16 MiB is `limit_exceeded`, a stored value that is no attachment `bad_data`. The message names its place in the list.
[[nodiscard]] CTXMGR_API Result<std::vector<Artifact>> attachments_to_artifacts(
    const std::vector<RequestAttachment>& attachments, const AttachmentSource& source = {},
    const CallOptions& call = {});

}  // namespace ctxmgr
