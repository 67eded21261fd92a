#pragma once
#include <string_view>
#include <utility>

#include "core/json/json.hpp"
#include "ctxmgr/core/error.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "engine/build/list_memo.hpp"

namespace ctxmgr {

/// Reads a request with what the manager has read of its beginning before. `read` takes a request and a list: it moves the
/// request's messages behind those that are in the list. Its errors are those of the whole request.
template <class Read>
[[nodiscard]] auto read_request(const ContextManager& manager, engine::ListForm form, std::string_view body,
                                std::string_view name, Read read) -> decltype(read(Json(), engine::ReadList())) {
  if (auto rest = lists_of(manager).take(form, body, name)) {
    auto json = parse_json(rest->text);
    auto grown = json ? read(std::move(*json), std::move(rest->read)) : tl::unexpected(std::move(json.error()));
    if (grown) return grown;
  }
  auto json = parse_json(body);
  if (!json) return tl::unexpected(std::move(json.error()));
  engine::ReadList list;
  list.form = form;
  return read(std::move(*json), std::move(list));
}

}  // namespace ctxmgr
