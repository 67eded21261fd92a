#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <optional>
#include <utility>

#include "adapters/redis/pool.hpp"
#include "adapters/redis/scripts.hpp"
#include "ctxmgr/adapters/redis_key_value_store.hpp"
#include "ports/key_value_checks.hpp"

namespace ctxmgr {
namespace {

using redis::Command;
using redis::Reply;

constexpr std::size_t version_digits = 20;
constexpr std::size_t page_size = 1'000;

std::string padded(std::uint64_t version) {
  const auto digits = std::to_string(version);
  return std::string(version_digits - std::min(version_digits, digits.size()), '0') + digits;
}

std::optional<std::uint64_t> parse_version(std::string_view digits) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (error != std::errc{} || end != digits.data() + digits.size() || version == 0) return std::nullopt;
  return version;
}

/// What every content begins with: whose it is. Lengths first, so that no two keys have the same.
std::string identity(std::string_view name_space, std::string_view key) {
  return std::to_string(name_space.size()) + ":" + std::to_string(key.size()) + ":" + std::string(name_space) +
         std::string(key);
}

/// A script, called by the name that the server gave it.
class LoadedScript {
 public:
  explicit LoadedScript(std::string_view text) : text_(text) {}

  /// `arguments` begin with the number of keys.
  Result<Reply> run(redis::Pool& pool, const Command& arguments, const CallOptions& call) {
    const auto name = name_of();
    if (!name.empty()) {
      auto replies = pool.run({with("EVALSHA", name, arguments)}, call);
      if (!replies) return tl::unexpected(replies.error());
      if (!redis::is_error(*replies->front())) return std::move(replies->front());
    }
    // First use, or the server has forgotten it.
    auto replies = pool.run({{"SCRIPT", "LOAD", text_}, with("EVAL", text_, arguments)}, call);
    if (!replies) return tl::unexpected(replies.error());
    const std::scoped_lock lock(mutex_);
    if (replies->front()->type == REDIS_REPLY_STRING) name_ = redis::text_of(*replies->front());
    return std::move(replies->back());
  }

 private:
  std::string name_of() {
    const std::scoped_lock lock(mutex_);
    return name_;
  }

  static Command with(std::string_view verb, std::string_view script, const Command& arguments) {
    Command command{verb, script};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }

  std::string_view text_;
  std::mutex mutex_;
  std::string name_;
};

/// The names on the server that belong to one namespace.
struct Names {
  Names(const std::string& prefix, std::string_view name_space) {
    // Braces make the part that decides the cluster slot; escaped, so that the namespace cannot end it.
    std::string tag = prefix + "{n";
    for (const char c : name_space) {
      if (c == '}' || c == '%') {
        tag += c == '}' ? "%7D" : "%25";
      } else {
        tag.push_back(c);
      }
    }
    index = tag + "}i";
    expiry = tag + "}e";
    counter = tag + "}c";
    values = tag + "}v";
  }

  /// What every script's arguments begin with.
  [[nodiscard]] Command arguments() const { return {"3", index, expiry, counter, values}; }

  std::string index;
  std::string expiry;
  std::string counter;
  std::string values;
};

/// For ZRANGEBYLEX: below the first string after all that begin with the prefix.
std::string upper_bound(std::string_view prefix) {
  std::string bound(prefix);
  while (!bound.empty() && bound.back() == '\xff') bound.pop_back();
  if (bound.empty()) return "+";
  bound.back() = static_cast<char>(bound.back() + 1);
  return "(" + bound;
}

class RedisKeyValueStore final : public KeyValueStore {
 public:
  RedisKeyValueStore(redis::Url url, RedisOptions options)
      : prefix_(options.key_prefix), pool_(std::move(url), std::move(options)) {}

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    if (auto checked = check_read(name_space, keys); !checked) return tl::unexpected(checked.error());
    if (auto wanted = redis::check_wanted(call); !wanted) return tl::unexpected(wanted.error());
    if (keys.empty()) return std::vector<std::optional<StoredValue>>{};
    const Names names(prefix_, name_space);
    auto values = read_present(names, keys, call);
    if (!values) return tl::unexpected(values.error());
    return decode(name_space, keys, **values);
  }

  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (auto checked = check_write(name_space, changes); !checked) return tl::unexpected(checked.error());
    const Names names(prefix_, name_space);
    auto arguments = names.arguments();
    std::vector<std::array<std::string, 3>> texts(changes.size());  // ttl, expected version, content
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto& change = changes[i];
      auto& [ttl, expected, content] = texts[i];
      if (change.ttl) ttl = std::to_string(capped_ttl(*change.ttl).count());
      if (change.expected_version) expected = padded(*change.expected_version);
      if (change.value) content = identity(name_space, change.key).append(*change.value);
      arguments.insert(arguments.end(), {change.key, change.value ? "set" : "erase", ttl, expected, content});
    }
    const auto reply = write_.run(pool_, arguments, call);
    if (!reply) return tl::unexpected(reply.error());
    if ((*reply)->type != REDIS_REPLY_STRING) return unexpected_reply();
    const auto text = redis::text_of(**reply);
    if (text.empty()) return fail(ErrorCode::conflict, "version changed");
    const auto version = parse_version(text);
    if (!version) return unexpected_reply();
    return *version;
  }

  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    if (auto checked = check_list(name_space, prefix, after_key); !checked) return tl::unexpected(checked.error());
    if (auto wanted = redis::check_wanted(call); !wanted) return tl::unexpected(wanted.error());
    const Names names(prefix_, name_space);
    std::string first = after_key < prefix ? "[" + std::string(prefix) : "(" + std::string(after_key);
    if (prefix.empty() && after_key.empty()) first = "-";
    const auto past = upper_bound(prefix);
    std::vector<KeyInfo> listed;
    while (listed.size() < limit) {
      const auto wanted = std::min(limit - listed.size(), page_size);
      const auto count = std::to_string(wanted);
      auto arguments = names.arguments();
      arguments.insert(arguments.end(), {first, past, count});
      const auto page = list_.run(pool_, arguments, call);
      if (!page) return tl::unexpected(page.error());
      const auto seen = append_page(name_space, **page, listed);
      if (!seen) return tl::unexpected(seen.error());
      if (*seen < wanted) break;
      first = "(" + std::string(redis::text_of(*(*page)->element[1]));
    }
    return listed;
  }

  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    if (auto checked = check_namespace(name_space); !checked) return checked;
    const Names names(prefix_, name_space);
    while (true) {
      const auto left = erase_.run(pool_, names.arguments(), call);
      if (!left) return tl::unexpected(left.error());
      if ((*left)->type != REDIS_REPLY_INTEGER) return unexpected_reply();
      if ((*left)->integer == 0) return {};
    }
  }

 private:
  /// A reply to another question, perhaps: then no connection is trusted any more.
  tl::unexpected<Error> unexpected_reply() {
    pool_.close_idle();
    return fail(ErrorCode::bad_data, "redis: the server answered something else than what was asked for");
  }

  /// One plain read where all keys are there; else a script looks at once which of the missing ones were evicted.
  Result<Reply> read_present(const Names& names, const std::vector<std::string>& keys, const CallOptions& call) {
    std::vector<std::string> value_names;
    value_names.reserve(keys.size());
    for (const auto& key : keys) value_names.push_back(names.values + key);
    Command command{"MGET"};
    command.insert(command.end(), value_names.begin(), value_names.end());
    auto replies = pool_.run({command}, call);
    if (!replies) return tl::unexpected(replies.error());
    auto& reply = replies->front();
    if (reply->type != REDIS_REPLY_ARRAY) return unexpected_reply();
    const auto* const end = reply->element + reply->elements;
    if (std::none_of(reply->element, const_cast<redisReply**>(end),
                     [](const redisReply* r) { return r->type == REDIS_REPLY_NIL; })) {
      return std::move(reply);
    }
    auto arguments = names.arguments();
    arguments.insert(arguments.end(), keys.begin(), keys.end());
    return read_.run(pool_, arguments, call);
  }

  Result<std::vector<std::optional<StoredValue>>> decode(std::string_view name_space,
                                                         const std::vector<std::string>& keys,
                                                         const redisReply& reply) {
    if (reply.type != REDIS_REPLY_ARRAY || reply.elements != keys.size()) return unexpected_reply();
    std::vector<std::optional<StoredValue>> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto& element = *reply.element[i];
      if (element.type == REDIS_REPLY_NIL) continue;
      if (element.type == REDIS_REPLY_INTEGER) {
        return fail(ErrorCode::bad_data, "redis: a stored value is gone; does the server evict?");
      }
      if (element.type != REDIS_REPLY_STRING) return unexpected_reply();
      auto stored = decode_value(identity(name_space, keys[i]), redis::text_of(element));
      if (!stored) return unexpected_reply();
      values[i] = std::move(stored);
    }
    return values;
  }

  static std::optional<StoredValue> decode_value(const std::string& expected_identity, std::string_view text) {
    if (text.size() <= version_digits || text[version_digits] != ' ') return std::nullopt;
    const auto version = parse_version(text.substr(0, version_digits));
    text.remove_prefix(version_digits + 1);
    if (!version || !text.starts_with(expected_identity)) return std::nullopt;
    text.remove_prefix(expected_identity.size());
    return StoredValue{std::string(text), *version};
  }

  /// How many keys the server looked at.
  Result<std::size_t> append_page(std::string_view name_space, const redisReply& page, std::vector<KeyInfo>& listed) {
    if (page.type != REDIS_REPLY_ARRAY || page.elements < 2 || page.elements % 2 != 0) return unexpected_reply();
    for (std::size_t i = 0; i < page.elements; i += 2) {
      const auto expected_first = i == 0 ? REDIS_REPLY_INTEGER : REDIS_REPLY_STRING;
      const auto expected_second = i == 0 ? REDIS_REPLY_STRING : REDIS_REPLY_INTEGER;
      if (page.element[i]->type != expected_first || page.element[i + 1]->type != expected_second) {
        return unexpected_reply();
      }
      if (i == 0) continue;
      const auto key = redis::text_of(*page.element[i]);
      const auto overhead = version_digits + 1 + identity(name_space, key).size();
      const auto length = static_cast<std::size_t>(std::max(page.element[i + 1]->integer, 0ll));
      listed.push_back({std::string(key), length - std::min(length, overhead)});
    }
    return static_cast<std::size_t>(page.element[0]->integer);
  }

  std::string prefix_;
  redis::Pool pool_;
  LoadedScript read_{redis::read_script};
  LoadedScript write_{redis::write_script};
  LoadedScript list_{redis::list_script};
  LoadedScript erase_{redis::erase_script};
};

}  // namespace

Result<std::unique_ptr<KeyValueStore>> make_redis_key_value_store(const RedisOptions& options) {
  auto url = redis::parse_url(options.url);
  if (!url) return tl::unexpected(url.error());
#if !defined(CTXMGR_REDIS_TLS)
  if (url->tls) return fail(ErrorCode::invalid_argument, "redis: built without TLS");
#endif
  if (options.key_prefix.find_first_of("{}") != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "redis: braces in the key prefix");
  }
  return std::make_unique<RedisKeyValueStore>(*std::move(url), options);
}

}  // namespace ctxmgr
