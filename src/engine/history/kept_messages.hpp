#pragma once
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "ctxmgr/ports/artifact_archive.hpp"

namespace ctxmgr::engine {

/// What an archive was given of a thread, so that it is asked for nothing twice. Of one archive at a time, the last.
struct KeptMessages {
  std::weak_ptr<ArtifactArchive> archive{};
  std::unordered_map<std::size_t, std::string> handles{};  ///< How to read each message.
  std::set<std::size_t> messages{};                        ///< Messages that are kept by themselves.
  std::set<std::pair<std::size_t, std::size_t>> parts{};   ///< Ranges of messages that are kept together.
  std::size_t all_before = 0;                              ///< Nothing before this message has to be asked for again.
};

}  // namespace ctxmgr::engine
