// What the adapter uses of liboai's chat.h: a conversation goes out and comes in as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace liboai {

class Conversation {
 public:
  std::string Export() const { return json_.empty() ? "" : json_.dump(4); }
  bool Import(std::string_view text) {
    json_ = nlohmann::json::parse(text);
    return json_.contains("messages");
  }

 private:
  nlohmann::json json_;
};

}  // namespace liboai
