#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ctxpack::http {

/// Reads a chunked body as it comes, and counts it as it comes.
class ChunkDecoder {
 public:
  enum class State {
    more,  ///< It has not ended.
    done,
    malformed,
    too_large,
  };

  explicit ChunkDecoder(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Takes bytes from the front, as far as the body goes, and appends what they hold to `body`.
  State take(std::string_view& bytes, std::string& body);

 private:
  enum class Part { size, extension, size_end, data, data_return, data_end, trailer, trailer_end, last_end };

  [[nodiscard]] State take_size(char c);
  [[nodiscard]] State take_mark(char c);
  [[nodiscard]] State take_data(std::string_view& bytes, std::string& body);

  const std::size_t most_bytes_;
  Part part_ = Part::size;
  std::size_t digits_ = 0;
  std::size_t left_ = 0;   ///< Of the chunk.
  std::size_t extra_ = 0;  ///< Of extensions and trailers, all together.
  std::size_t line_ = 0;   ///< Of the trailer's line.
};

}  // namespace ctxpack::http
