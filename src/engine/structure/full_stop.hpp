#pragma once
#include <cstddef>
#include <string_view>

namespace ctxmgr::engine {

enum class FullStop {
  ends,      ///< It ends a sentence.
  doubtful,  ///< It may: "5 p.m. We", "room 12. We", "plan B. We".
  inside,    ///< It does not.
};

/// What the full stop at `at` is to the sentence that begins at `begin`. It is inside behind abbreviations that stand before
/// names ("Dr."), behind the number of an item in a list, and, where `small_goes_on`, before a small letter or a figure in a
/// sentence that began with a capital. It is doubtful behind initials, letters with stops between them, and numbers of at most two digits ("am 3. Mai").
[[nodiscard]] FullStop full_stop_at(std::string_view text, std::size_t begin, std::size_t at,
                                    bool small_goes_on = true);

}  // namespace ctxmgr::engine
