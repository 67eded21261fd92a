#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/core/call_options.hpp"
#include "ctxmgr/core/context.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/core/message.hpp"
#include "ctxmgr/engine/build_request.hpp"
#include "ctxmgr/engine/built_context.hpp"
#include "engine/history/known_messages.hpp"
#include "engine/index/lending_cache.hpp"

namespace ctxmgr::engine {

/// Whose form a list of messages has: the same text may be read in several.
enum class ListForm { chat, messages, responses };

/// A request's list of messages, as it was read.
struct ReadList {
  ListForm form = ListForm::chat;
  std::string text{};  ///< From its bracket to the end of its last element.
  Json::Array elements{};
  std::vector<std::size_t> ends{};   ///< The place in that text where each element ends.
  std::vector<std::size_t> sizes{};  ///< Bytes of this element and those before it, in memory.
  std::vector<ConversationMessage> messages{};
  /// The elements that each message was read from: the first, and one after the last.
  std::vector<std::pair<std::size_t, std::size_t>> places{};
  bool is_kept = true;  ///< False: what was read depends on more than the list.
  /// Whether the first message is what the request says beside the list. Its place is {0, 0}.
  bool has_instructions = false;
  std::vector<std::size_t> breakpoints{};  ///< How many of Anthropic's cache breakpoints stand up to each element.
  std::shared_ptr<KnownMessages> known = std::make_shared<KnownMessages>();  ///< What is known of the messages.

  [[nodiscard]] bool has_only_instructions() const { return messages.size() == (has_instructions ? 1U : 0U); }

  /// Puts them before all other messages, or takes those away that are there.
  void set_instructions(std::optional<ConversationMessage> instructions);

  /// What was read of elements that stand behind those of the list. The first of `places` is 0.
  void append(Json::Array more, std::vector<ConversationMessage> read,
              const std::vector<std::pair<std::size_t, std::size_t>>& at);

  /// Roughly, of everything.
  [[nodiscard]] std::size_t bytes() const;
};

/// A request's text with only those elements in its list that are not in `read`.
struct RestOfRequest {
  ReadList read{};
  std::string text{};
};

/// Requests' lists of messages between requests. A request that begins as an earlier one did, byte for byte, is read from
/// where it goes on.
/// Thread-safety: all methods may be called from several threads at once.
class ListMemo {
 public:
  explicit ListMemo(std::size_t max_bytes) : lists_(max_bytes) {}

  /// `name`: of the member that is the list. Nothing where no list is known with which at least half of it begins. What is left has
  /// to be read as strictly as all of it: where that fails, all of it has to be read to say why.
  [[nodiscard]] std::optional<RestOfRequest> take(ListForm form, std::string_view request, std::string_view name);

  /// What was read of this request, of which `list.text` may be the beginning.
  void put(ReadList list, std::string_view request, std::string_view name);

 private:
  std::optional<ReadList> take_longest(ListForm form, std::string_view text);

  LendingCache<ReadList> lists_;
};

}  // namespace ctxmgr::engine

namespace ctxmgr {

class ContextManager;

/// The lists that a manager has read of requests as text.
[[nodiscard]] engine::ListMemo& lists_of(const ContextManager& manager);

/// `ContextManager::build()`. `known`: of the context's messages.
[[nodiscard]] Result<BuiltContext> build_known(const ContextManager& manager, const Context& context,
                                               const BuildRequest& request, const CallOptions& call,
                                               std::shared_ptr<engine::KnownMessages> known);

}  // namespace ctxmgr
