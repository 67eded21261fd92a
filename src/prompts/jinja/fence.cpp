#include "prompts/jinja/fence.hpp"

#include "core/sha256.hpp"
#include "prompts/jinja/text.hpp"

namespace ctxmgr::jinja {
namespace {

constexpr std::string_view tag = "data";

// "<", perhaps "/" and white space, then the tag in any case.
bool begins_fence(std::string_view text) {
  text = strip_left(text.substr(1));
  if (!text.empty() && text[0] == '/') text = strip_left(text.substr(1));
  return text.size() >= tag.size() && to_lower(text.substr(0, tag.size())) == tag;
}

}  // namespace

std::string fence(std::string_view text, std::string_view nonce) {
  const std::string id = nonce.empty() ? sha256_hex(text).substr(0, 16) : std::string(nonce);
  std::string out = "<data-" + id + ">\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' && begins_fence(text.substr(i, 64))) {
      out += "&lt;";
    } else {
      out += text[i];
    }
  }
  return out + "\n</data-" + id + ">";
}

}  // namespace ctxmgr::jinja
