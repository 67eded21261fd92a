#include "adapters/bpe/run_tokens.hpp"

#include <algorithm>

namespace ctxmgr::bpe {
namespace {

/// Bytes of the blanks of ASCII, of U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
constexpr std::array<bool, 256> blank_bytes = [] {
  std::array<bool, 256> table{};
  for (const unsigned byte : {0x09U, 0x0AU, 0x0BU, 0x0CU, 0x0DU, 0x20U, 0xC2U, 0x85U, 0xA0U, 0xE1U, 0x9AU, 0xE2U, 0x81U,
                              0x9FU, 0xA8U, 0xA9U, 0xAFU, 0xE3U})
    table[byte] = true;
  for (unsigned byte = 0x80; byte <= 0x8A; ++byte) table[byte] = true;
  return table;
}();

bool is_blank_byte(char byte) { return blank_bytes[static_cast<unsigned char>(byte)]; }

}  // namespace

bool RunTokens::is_run(std::string_view text) {
  if (text.empty()) return false;
  if (is_blank_byte(text.front())) return std::all_of(text.begin(), text.end(), is_blank_byte);
  return text.find_first_not_of(text.front()) == std::string_view::npos;
}

void RunTokens::add(std::string_view text, Rank token) {
  Node node = none;
  for (const char byte : text) {
    Node next = node == none ? first_of(byte) : child_of(node, byte);
    if (next == none) {
      next = static_cast<Node>(nodes_.size());
      Entry entry;
      entry.parent = node;
      entry.depth = nodes_[node].depth + 1;
      entry.byte = byte;
      nodes_.push_back(entry);
      if (node == none)
        first_[static_cast<unsigned char>(byte)] = next;
      else
        append_child(node, next);
    }
    node = next;
  }
  nodes_[node].token = token;
}

// Tokens come by their rank, and the earliest are asked for most.
void RunTokens::append_child(Node node, Node next) {
  Node* last = &nodes_[node].child;
  while (*last != none) last = &nodes_[*last].sibling;
  *last = next;
}

void RunTokens::finish() {
  for (Node node = 1; node < nodes_.size(); ++node) {
    const Node parent = nodes_[node].parent;
    nodes_[node].shorter = nodes_[parent].longest;
    nodes_[node].longest = nodes_[node].token != no_rank ? node : nodes_[node].shorter;
  }
  for (std::size_t byte = 0; byte < first_.size(); ++byte)
    for (Node node = first_[byte]; node != none; node = child_of(node, static_cast<char>(byte)))
      repeated_[byte].push_back(node);
}

/// The node of the bytes at the beginning of a text that are equal, as far as there is one.
RunTokens::Node RunTokens::repeated(std::string_view text) const {
  const auto& nodes = repeated_[static_cast<unsigned char>(text.front())];
  const std::size_t most = std::min(nodes.size(), text.size());
  std::size_t count = 1;
  while (count < most && text[count] == text.front()) ++count;
  return nodes.empty() ? none : nodes[count - 1];
}

RunTokens::Node RunTokens::longest(std::string_view text) const {
  if (text.empty()) return none;
  Node node = repeated(text);
  Node found = none;
  while (node != none) {
    found = nodes_[node].longest;
    const std::size_t at = nodes_[node].depth;
    node = at < text.size() ? child_of(node, text[at]) : none;
  }
  return found;
}

}  // namespace ctxmgr::bpe
