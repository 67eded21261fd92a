#include "engine/build/list_memo.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/json/lexer.hpp"

namespace ctxmgr::engine {
namespace {

/// The text from the bracket on of the list under that name; empty where it is none.
std::string_view list_in(std::string_view request, std::string_view name) {
  std::size_t depth = 0;
  JsonToken before;
  bool is_named = false;
  for (auto token = next_json_token(request, 0); token; token = next_json_token(request, token.end)) {
    if (depth == 0 && token.kind != '{') return {};
    if (depth == 1 && is_named && token.kind != ':')
      return token.kind == '[' ? request.substr(token.begin) : std::string_view();
    if (token.opens()) ++depth;
    if (token.closes() && --depth == 0) return {};
    const bool may_be_key = depth == 1 && token.kind == '"' && (before.kind == '{' || before.kind == ',');
    if (may_be_key) is_named = request.substr(token.begin + 1, token.end - token.begin - 2) == name;
    before = token;
  }
  return {};
}

/// Appends where elements end that stand behind this place, until the list does. Elements are objects: only of them is it certain
/// where they end, whatever comes.
void find_ends(std::string_view list, std::size_t from, std::vector<std::size_t>& ends) {
  std::size_t depth = 0;
  for (auto token = next_json_token(list, from); token; token = next_json_token(list, token.end)) {
    if (token.opens()) ++depth;
    if (!token.closes()) continue;
    if (depth == 0) return;
    if (--depth == 0 && token.kind == '}') ends.push_back(token.end);
  }
}

std::size_t common_bytes(std::string_view a, std::string_view b) {
  const auto most = std::min(a.size(), b.size());
  constexpr std::size_t block = 4'096;
  std::size_t same = 0;
  while (same + block <= most && std::memcmp(a.data() + same, b.data() + same, block) == 0) same += block;
  const auto* const end = a.data() + most;
  return static_cast<std::size_t>(std::mismatch(a.data() + same, end, b.data() + same).first - a.data());
}

/// Whether what may begin with that beginning has its last bytes where it does: most others do not.
bool ends_alike(std::string_view text, std::string_view beginning) {
  constexpr std::size_t sample = 64;
  const auto from = beginning.size() - std::min(sample, beginning.size());
  return text.substr(from, beginning.size() - from) == beginning.substr(from);
}

std::size_t bytes_of(const Json& json) {
  std::size_t bytes = sizeof(Json);
  if (json.is_string()) return bytes + json.string().capacity();
  for (const auto& element : json.elements()) bytes += bytes_of(element);
  for (const auto& [name, value] : json.members()) bytes += sizeof(std::string) + bytes_of(value);
  return bytes;
}

/// Cuts it to its first elements, or less: an assistant's word may go on in the next element, so that it is read anew.
void cut(ReadList& list, std::size_t elements) {
  while (!list.messages.empty() &&
         (list.places.back().second > elements || list.messages.back().role == Role::assistant)) {
    elements = std::min(elements, list.places.back().first);
    list.places.pop_back();
    list.messages.pop_back();
  }
  if (list.has_only_instructions()) elements = 0;
  list.known->cut(list.messages.size());
  list.elements.resize(elements);
  list.ends.resize(elements);
  list.sizes.resize(elements);
  if (!list.breakpoints.empty()) list.breakpoints.resize(elements);
  list.text.resize(elements == 0 ? 0 : list.ends.back());
}

}  // namespace

void ReadList::set_instructions(std::optional<ConversationMessage> instructions) {
  if (instructions && has_instructions) {
    messages.front() = std::move(*instructions);
    return known->replace_first(messages.front());
  }
  if (!instructions && !has_instructions) return;
  known = std::make_shared<KnownMessages>();
  if (instructions) {
    messages.insert(messages.begin(), std::move(*instructions));
    places.insert(places.begin(), {0, 0});
  } else {
    messages.erase(messages.begin());
    places.erase(places.begin());
  }
  has_instructions = !has_instructions;
}

void ReadList::append(Json::Array more, std::vector<ConversationMessage> read,
                      const std::vector<std::pair<std::size_t, std::size_t>>& at) {
  const auto before = elements.size();
  std::move(more.begin(), more.end(), std::back_inserter(elements));
  std::move(read.begin(), read.end(), std::back_inserter(messages));
  for (const auto& [first, last] : at) places.emplace_back(before + first, before + last);
}

std::size_t ReadList::bytes() const {
  constexpr std::size_t forms = 2;  // Once as JSON, once as messages.
  return text.capacity() + (sizes.empty() ? 0 : forms * sizes.back()) +
         messages.size() * (sizeof messages[0] + sizeof places[0]) + ends.size() * (sizeof ends[0] + sizeof sizes[0]) +
         breakpoints.size() * sizeof breakpoints[0] + known->bytes();
}

std::optional<ReadList> ListMemo::take_longest(ListForm form, std::string_view text) {
  std::size_t most = 0;
  auto taken = lists_.take([&](const ReadList& read) -> std::size_t {
    const auto half = read.text.size() / 2;
    if (read.form != form || text.size() < half || !ends_alike(read.text, text.substr(0, half))) return 0;
    const auto same = common_bytes(read.text, text);
    if (same < half) return 0;
    most = std::max(most, same);
    return same;
  });
  if (!taken) return std::nullopt;
  const auto end = std::upper_bound(taken->ends.begin(), taken->ends.end(), most);
  cut(*taken, static_cast<std::size_t>(end - taken->ends.begin()));
  return taken;
}

std::optional<RestOfRequest> ListMemo::take(ListForm form, std::string_view request, std::string_view name) {
  const auto list = list_in(request, name);
  if (list.empty()) return std::nullopt;
  auto read = take_longest(form, list);
  if (!read || read->elements.empty()) return std::nullopt;
  const auto mark = next_json_token(list, read->text.size());
  const auto next = next_json_token(list, mark.end);
  const bool goes_on = mark.kind == ',' && next.kind == '{';
  if (!goes_on && mark.kind != ']') return std::nullopt;
  RestOfRequest rest{std::move(*read), {}};
  const auto from = goes_on ? next.begin : mark.begin;
  rest.text.reserve(request.size() - from + 1);
  rest.text.append(request.substr(0, request.size() - list.size() + 1)).append(list.substr(from));
  return rest;
}

void ListMemo::put(ReadList list, std::string_view request, std::string_view name) {
  const auto text = list_in(request, name);
  if (!list.is_kept || text.empty() || list.elements.empty() || list.messages.empty()) return;
  find_ends(text, list.ends.empty() ? 1 : list.ends.back(), list.ends);
  if (list.ends.size() != list.elements.size()) return;
  for (auto i = list.sizes.size(); i < list.elements.size(); ++i)
    list.sizes.push_back((i == 0 ? 0 : list.sizes.back()) + bytes_of(list.elements[i]));
  list.text.append(text.substr(list.text.size(), list.ends.back() - list.text.size()));
  const auto bytes = list.bytes();
  lists_.put(std::move(list), bytes, [](const ReadList&, const ReadList&) { return false; });
}

}  // namespace ctxmgr::engine
