#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/pool.hpp"

namespace ctxmgr::redis {

/// A script, called by the name that the server gave it.
/// Thread-safety: all methods may be called from several threads at once.
class Script {
 public:
  explicit Script(std::string_view text) : text_(text) {}

  /// `arguments` begin with the number of keys and the keys, which are all in one slot.
  [[nodiscard]] Result<Reply> run(Pool& pool, const std::vector<std::string_view>& arguments, const CallOptions& call) {
    if (const auto name = name_of(); !name.empty()) {
      auto request = pool.request();
      add(request, "EVALSHA", name, arguments);
      auto replies = pool.run(std::move(request), arguments[1], call);
      if (!replies) return tl::unexpected(replies.error());
      if (!is_error(*replies->front())) return std::move(replies->front());
    }
    // First use, or the server has forgotten it.
    auto request = pool.request();
    request.command({"SCRIPT", "LOAD", text_});
    add(request, "EVAL", text_, arguments);
    auto replies = pool.run(std::move(request), arguments[1], call);
    if (!replies) return tl::unexpected(replies.error());
    const std::scoped_lock lock(mutex_);
    if (replies->front()->type == REDIS_REPLY_STRING) name_ = text_of(*replies->front());
    return std::move(replies->back());
  }

 private:
  static void add(Request& request, std::string_view verb, std::string_view script,
                  const std::vector<std::string_view>& arguments) {
    std::size_t bytes = script.size();
    for (const auto argument : arguments) bytes += argument.size();
    request.reserve(3 + arguments.size(), bytes);
    request.begin(2 + arguments.size()).word(verb).word(script);
    for (const auto argument : arguments) request.word(argument);
  }

  std::string name_of() {
    const std::scoped_lock lock(mutex_);
    return name_;
  }

  std::string_view text_;
  std::mutex mutex_;
  std::string name_;
};

}  // namespace ctxmgr::redis
