#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ctxmgr/core/content_format.hpp"
#include "ctxmgr/core/export.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/core/reasoning.hpp"
#include "ctxmgr/core/timestamp.hpp"

namespace ctxmgr {

/// The kind of an artifact. Part of receipts and cache keys by name: frozen.
enum class ArtifactType { tool_result, document, conversation };
[[nodiscard]] CTXMGR_API std::string_view to_string(ArtifactType value);

/// Whether text may carry instructions. A text made from several inputs has the lowest label among them.
enum class Trust {
  untrusted,  ///< Data from outside: never in a system message, always inside a marked block.
  trusted,    ///< Written by the host or its developers.
};

[[nodiscard]] CTXMGR_API std::string_view to_string(Trust value);

/// A piece of information that may go into a context: a tool result, a document, an old stretch of conversation.
/// A plain value, UTF-8 throughout (importers replace invalid bytes by U+FFFD).
struct Artifact {
  std::string artifact_id{};  ///< Unique within one `Context`; another context may use it for other content.
  ArtifactType artifact_type = ArtifactType::document;
  std::string content{};  ///< The text, at most 16 MiB. Structured values as their JSON text.
  ContentFormat content_format = ContentFormat::automatic;
  std::string source{};  ///< "step_1:web_scraper", "history:msg_3:web_search", "attachment:report.pdf".
  Timestamp timestamp{};
  /// "title"; "historical"="true"; "tool_name", "tool_arguments"; "language" ("de", "german"): that of the content where
  /// it is too short to be recognised; "prior_score". That is a decimal number: how well the host's own search says that the
  /// artifact answers. Any scale will do, more is better.
  std::map<std::string, std::string> metadata{};
  Trust trust = Trust::untrusted;
};

/// A document or data set that came with a request: by value, or as a reference to one stored earlier.
/// It needs `content` or `attachment_id`; where both are there, `content` is used.
struct RequestAttachment {
  std::string attachment_id{};  ///< Name of a stored attachment.
  std::string content{};        ///< UTF-8 text.
  std::string title{};
  std::string source{};  ///< URL, path, …
  std::string attachment_type = "document";
};

/// Length of the content in Unicode code points. Linear.
[[nodiscard]] CTXMGR_API std::size_t size_chars(const Artifact& artifact);

/// SHA-256 over format and content, 64 hex digits: the name under which anything derived from it is cached. Frozen (v1).
[[nodiscard]] CTXMGR_API std::string content_hash(const Artifact& artifact);

/// A document whose id and source come from its name: `make_document("report.md", text)`.
[[nodiscard]] CTXMGR_API Artifact make_document(std::string_view name, std::string_view content);

/// One artifact for each tool result: `step_0_tool_1_web_search`. Same input, same ids; ids never collide.
[[nodiscard]] CTXMGR_API std::vector<Artifact> extract_artifacts_from_steps(
    const std::vector<ReasoningStepRecord>& steps);

/// One artifact for each tool result behind a message, with metadata "historical"="true":
/// `msg_3_step_0_tool_0_web_search`, where 3 is the sequence number, or the position where there is none.
/// Of the last `max_historical_messages` messages only.
[[nodiscard]] CTXMGR_API std::vector<Artifact> extract_artifacts_from_messages(
    const std::vector<ConversationMessage>& messages,
    std::size_t max_historical_messages = static_cast<std::size_t>(-1));

}  // namespace ctxmgr
