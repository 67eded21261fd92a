#include "serve/readings.hpp"

#include <cstddef>
#include <utility>

#include "ctxmgr/core/artifact.hpp"
#include "serve/bounded_json.hpp"
#include "serve/json_parts.hpp"

namespace ctxpack::serve {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_reading_bytes = std::size_t{256} << 10;

/// Breakpoints of a cache move from turn to turn.
ordered_json without_breakpoints(ordered_json message) {
  if (!message.is_object()) return message;
  message.erase("cache_control");
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return message;
  for (auto& block : *content) {
    if (block.is_object()) block.erase("cache_control");
  }
  return message;
}

/// A name for a list's beginning, made from that of the one before and what comes next.
std::string next_anchor(const std::string& before, const ordered_json& message) {
  // Fields may stand in another order.
  const nlohmann::json sorted = without_breakpoints(message);
  return ctxmgr::content_hash(ctxmgr::make_document({}, before + text_of(sorted)));
}

ordered_json list_of(const std::string& kept) {
  auto list = read_json(kept);
  return list.is_array() ? std::move(list) : ordered_json::array();
}

}  // namespace

std::string with_readings(Api api, const std::string& request, const std::string& kept) {
  const auto readings = list_of(kept);
  if (readings.empty()) return request;
  std::string all = "[";
  std::string anchor;
  const auto add = [&all](std::string_view item) { (all += all.size() > 1 ? "," : "").append(item); };
  const auto list = list_of_messages(api, request);
  Elements messages(list);
  while (const auto message = messages.next()) {
    anchor = next_anchor(anchor, read_json(*message));
    add(*message);
    for (const auto& reading : readings) {
      const auto* const turn = member(reading, "turn");
      if (turn == nullptr || !turn->is_array() || string_at(reading, "after") != anchor) continue;
      for (const auto& item : *turn) add(text_of(item));
    }
  }
  return list.empty() ? request : with_messages(api, request, all + "]");
}

std::string with_reading(Api api, const std::string& request, const std::vector<Round>& rounds,
                         const std::string& kept) {
  const auto list = list_of_messages(api, request);
  if (list.empty() || rounds.empty()) return kept;
  std::string anchor;
  Elements messages(list);
  while (const auto message = messages.next()) anchor = next_anchor(anchor, read_json(*message));
  ordered_json turn = ordered_json::array();
  for (const auto& round : rounds) {
    for (const auto& item : round.turn) turn.push_back(item);
  }
  auto readings = list_of(kept);
  readings.push_back({{"after", anchor}, {"turn", std::move(turn)}});
  auto text = text_of(readings);
  while (text.size() > most_reading_bytes && !readings.empty()) {
    readings.erase(readings.begin());
    text = text_of(readings);
  }
  return text;
}

}  // namespace ctxpack::serve
