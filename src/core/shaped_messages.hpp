#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "ctxmgr/core/message_shape.hpp"

namespace ctxmgr {

/// Words that are put in where `user_first` and `answer_after_tool` demand some.
inline constexpr std::string_view words_of_the_user = "Continue.";
inline constexpr std::string_view words_of_the_assistant = "Understood.";

/// A list in the shape that was asked for.
struct ShapedMessages {
  std::vector<ConversationMessage> messages{};
  std::vector<std::size_t> places{};  ///< Where each message that was given is now, or is a part of.
};

/// `shape_messages()`, for those who have places in the list.
[[nodiscard]] ShapedMessages shape_with_places(std::vector<ConversationMessage> messages, const MessageShape& shape);

}  // namespace ctxmgr
