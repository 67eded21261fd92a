#include "engine/history/thread_memo.hpp"

namespace ctxmgr::engine {
namespace {

constexpr std::size_t bytes_of_handle = 160;  // with its place in the maps
constexpr std::size_t bytes_of_extract = 80;

}  // namespace

void ThreadMemo::forget_groups() {
  head.reset();
  selection.reset();
  extract_tokens.clear();
  kept = {};
}

std::size_t ThreadMemo::bytes() const {
  std::size_t chosen = 0;
  if (selection)
    for (const auto& text : selection->chosen) chosen += sizeof text + text.text.size();
  return chosen + kept.handles.size() * bytes_of_handle + extract_tokens.size() * bytes_of_extract;
}

}  // namespace ctxmgr::engine
