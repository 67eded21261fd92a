#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ctxmgr::engine {

/// An element of a JSON array.
struct JsonRecord {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t shape = 0;  ///< Equal for records with the same keys and types of values, in any order.
  bool outlier = false;     ///< It has a shape, or one of the few values of a key, that hardly any other record has.
};

/// An array of many objects (or of many arrays), or a text of one JSON value a line.
struct JsonRecords {
  std::vector<JsonRecord> records;
  std::string statistics;  ///< `300 records: "id" 1 to 300; "status" "ok" ×297, "failed" ×3; "name"`
};

/// The long arrays of a text, ascending, none inside another. Linear; broken JSON gives what can be made out.
[[nodiscard]] std::vector<JsonRecords> find_json_records(std::string_view text);

}  // namespace ctxmgr::engine
