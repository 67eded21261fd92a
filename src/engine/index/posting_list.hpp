#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ctxmgr::engine {

/// The chunks that have a term, ascending, each with how often: two bytes for most of them. In runs of 64, so that a place
/// in a long list is found without reading what is before it. Most terms occur once: such a list takes no memory but its
/// own.
class PostingList {
 public:
  /// Appends a chunk after the last one. `frequency` is a whole number (terms are counted, those of titles twice).
  void append(std::uint32_t chunk, float frequency);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;

  /// Walks a list from one of its places.
  class Reader {
   public:
    Reader() = default;
    explicit Reader(const PostingList& list) : list_(&list) { next(); }

    [[nodiscard]] bool done() const { return number_ > list_->size_; }
    [[nodiscard]] std::uint32_t chunk() const { return chunk_; }
    [[nodiscard]] float frequency() const { return static_cast<float>(frequency_); }
    [[nodiscard]] std::size_t number() const { return number_ - 1; }  ///< How many postings stand before this one.

    void next();

    /// To the first posting at or after `chunk`, which may also be before this one.
    void seek(std::uint32_t chunk);

   private:
    std::uint32_t read_number();

    const PostingList* list_ = nullptr;
    std::size_t at_ = 0;      ///< The place in the bytes.
    std::size_t number_ = 0;  ///< The number of the posting that was read, from 1; above `size_`: there is none left.
    std::uint32_t chunk_ = 0;
    std::uint32_t frequency_ = 0;
  };

  /// How many chunks of [first, last) it has.
  [[nodiscard]] std::size_t count(std::size_t first, std::size_t last) const;

 private:
  struct Run {
    std::uint32_t chunk = 0;  ///< The chunk of its first posting.
    std::uint32_t at = 0;     ///< The place of that posting in the bytes.
  };

  void append_number(std::uint32_t number);

  std::string data_;       ///< Each posting's distance from the one before in its run, and its frequency.
  std::vector<Run> runs_;  ///< But for the first, which begins where the bytes do.
  std::uint32_t last_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace ctxmgr::engine
