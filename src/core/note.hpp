#pragma once
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/core/metadata.hpp"
#include "ctxmgr/core/note_code.hpp"

namespace ctxmgr {

/// For the receipt: what was assumed, or could not be done.
struct Note {
  NoteCode code = NoteCode::other;
  std::string text{};
};

using Notes = std::vector<Note>;

inline void add_note(ContextUtilizationMetadata& receipt, NoteCode code, std::string text) {
  receipt.note_codes.resize(receipt.notes.size(), NoteCode::other);  // Those of receipts that had no codes yet.
  receipt.notes.push_back(std::move(text));
  receipt.note_codes.push_back(code);
}

}  // namespace ctxmgr
