#pragma once
#include <vector>

#include "core/json/types.hpp"

namespace ctxmgr {

/// Content as services write it: a string, or a list of parts that are all content.
struct ContentField {
  MessageContent& content;
};

inline void read_json(JsonReader& in, const Json& json, ContentField& out) {
  if (json.is_string()) {
    out.content = json.string();
  } else if (json.is_array()) {
    read_json(in, json, out.content.emplace<std::vector<ContentPart>>());
  } else {
    in.expected("a string or an array of parts", json);
  }
}

}  // namespace ctxmgr
