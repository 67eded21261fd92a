#include "engine/history/shortened_text.hpp"

#include <string>
#include <string_view>

#include "core/utf8.hpp"
#include "core/worded.hpp"
#include "engine/history/message_parts.hpp"

namespace ctxmgr::engine {
namespace {

constexpr double head_share = 0.7;  // Of what is kept; questions say what they want first and repeat it last.

/// Where the sentence or the line around a place begins; the place itself where it is long.
std::size_t sentence_around(std::string_view text, std::size_t at) {
  constexpr std::size_t longest_sentence = 200;  // bytes
  for (auto i = at; i > 0 && at - i < longest_sentence; --i) {
    if (text[i - 1] == '\n') return i;
    if (i > 1 && text[i - 1] == ' ' && std::string_view(".!?").find(text[i - 2]) != std::string_view::npos) return i;
  }
  return at;
}

/// Head and tail of a text around a mark, `kept` bytes in all. The tail begins with a sentence, for half of a rule is none; the head
/// gives up to half of itself for that.
std::string ends_of(std::string_view text, std::size_t kept) {
  auto head = static_cast<std::size_t>(static_cast<double>(kept) * head_share);
  auto tail = text.size() - (kept - head);
  if (const auto more = tail - sentence_around(text, tail); more <= head / 2) {
    tail -= more;
    head -= more;
  }
  head = utf8::floor_boundary(text, head);
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
