#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/bpe/merges.hpp"

namespace ctxmgr::bpe {

/// The tokens of blanks alone and those of one byte repeated, as a tree by their bytes. Pieces of such bytes are long, and merging
/// them byte by byte takes fifty times as long as prose; the longest token at a place is nearly always the right one.
/// Thread-safety: const methods may be called from several threads at once.
class RunTokens {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = 0;  ///< The root, which is no token.

  RunTokens() : nodes_(1) {}

  /// Whether a text has nothing but bytes of blanks, or one byte alone.
  [[nodiscard]] static bool is_run(std::string_view text);

  /// \pre `is_run(text)`.
  void add(std::string_view text, Rank token);

  /// To be called once, when all are there.
  void finish();

  /// The longest token that a text begins with; `none` where there is none.
  [[nodiscard]] Node longest(std::string_view text) const;

  /// The next shorter token that begins a token; `none` where there is none.
  [[nodiscard]] Node shorter(Node node) const { return nodes_[node].shorter; }

  [[nodiscard]] Rank token(Node node) const { return nodes_[node].token; }
  [[nodiscard]] std::size_t bytes(Node node) const { return nodes_[node].depth; }

 private:
  struct Entry {
    Rank token = no_rank;
    Node parent = none;
    Node child = none;    ///< The first one.
    Node sibling = none;  ///< The next one.
    Node shorter = none;
    Node longest = none;  ///< Itself if it is a token, else as `shorter`.
    std::uint32_t depth = 0;
    char byte = 0;
  };
  [[nodiscard]] Node child_of(Node node, char byte) const {
    Node child = nodes_[node].child;
    while (child != none && nodes_[child].byte != byte) child = nodes_[child].sibling;
    return child;
  }
  [[nodiscard]] Node first_of(char byte) const { return first_[static_cast<unsigned char>(byte)]; }
  void append_child(Node node, Node next);
  [[nodiscard]] Node repeated(std::string_view text) const;

  std::vector<Entry> nodes_;
  std::array<Node, 256> first_{};                  ///< Below the root.
  std::array<std::vector<Node>, 256> repeated_{};  ///< A byte once, twice and so on, as far as there are nodes.
};

}  // namespace ctxmgr::bpe
