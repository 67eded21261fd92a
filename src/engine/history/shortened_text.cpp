#include "engine/history/shortened_text.hpp"

#include <string>
#include <string_view>

#include "core/utf8.hpp"
#include "core/worded.hpp"
#include "engine/history/message_parts.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double head_share = 0.7;  // Of what is kept; questions say what they want first and repeat it last.

/// Head and tail of a text around a mark, `kept` bytes in all.
std::string ends_of(std::string_view text, std::size_t kept) {
  const auto head = utf8::floor_boundary(text, static_cast<std::size_t>(static_cast<double>(kept) * head_share));
  auto tail = text.size() - (kept - head);
  while (tail < text.size() && utf8::floor_boundary(text, tail) != tail) ++tail;
  return worded("{}\n[… {} characters left out …]\n{}", text.substr(0, head),
                utf8::count_code_points(text.substr(head, tail - head)), text.substr(tail));
}

}  // namespace

std::optional<ConversationMessage> head_and_tail(const ConversationMessage& message, std::int64_t room,
                                                 const TokenCounter& counter) {
  const auto text = text_of(message);
  // Its images and files go one by one, the newest last, then all that is no text.
  const auto media = media_count(message);
  std::size_t gone = 0;
  const auto shortened_to = [&](std::size_t kept) {
    if (gone > media) return with_text_alone(message, ends_of(text, kept));
    return with_text(message, ends_of(text, kept) + media_left_out(message, gone), gone);
  };
  while (gone <= media && counter.count_message(shortened_to(0)) > room) ++gone;
  if (counter.count_message(shortened_to(0)) > room) return std::nullopt;
  std::size_t fits = 0;
  std::size_t too_many = text.size();
  while (too_many - fits > 8) {
    const auto middle = fits + (too_many - fits) / 2;
    (counter.count_message(shortened_to(middle)) <= room ? fits : too_many) = middle;
  }
  return shortened_to(fits);
}

}  // namespace ctxmgr::engine
