#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "adapters/redis/pool.hpp"
#include "adapters/redis/script.hpp"
#include "adapters/redis/scripts.hpp"
#include "adapters/redis/stored_value.hpp"
#include "adapters/redis/versions.hpp"
#include "ctxmgr/adapters/redis_key_value_store.hpp"
#include "ports/key_value_checks.hpp"

namespace ctxmgr {
namespace {

using redis::Reply;
using redis::Request;

constexpr std::size_t page_size = 1'000;

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
    values = tag + "}v";
  }

  /// What the scripts' arguments begin with.
  [[nodiscard]] std::vector<std::string_view> arguments() const { return {"2", index, expiry, values}; }

  std::string index;
  std::string expiry;
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
  RedisKeyValueStore(redis::Url url, const RedisOptions& options)
      : prefix_(options.key_prefix),
        pool_(std::move(url), options),
        versions_(prefix_ + "versions", options.go_on_when_lost) {}

  Result<std::vector<std::optional<StoredValue>>> read(std::string_view name_space,
                                                       const std::vector<std::string>& keys,
                                                       const CallOptions& call) override {
    if (auto checked = check_read(name_space, keys); !checked) return tl::unexpected(checked.error());
    if (auto ready = check_ready(call); !ready) return tl::unexpected(ready.error());
    if (keys.empty()) return std::vector<std::optional<StoredValue>>{};
    const Names names(prefix_, name_space);
    auto values = read_present(names, keys, call);
    if (!values) return tl::unexpected(values.error());
    auto decoded = decode(name_space, keys, **values);
    const auto is_absent = [](const auto& value) { return !value; };
    if (!decoded || std::none_of(decoded->begin(), decoded->end(), is_absent)) return decoded;
    if (auto kept = versions_.check_now(pool_, call); !kept) return tl::unexpected(kept.error());
    return decoded;
  }

  Result<std::uint64_t> write(std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                              const CallOptions& call) override {
    if (auto checked = check_write(name_space, changes); !checked) return tl::unexpected(checked.error());
    if (auto ready = check_ready(call); !ready) return tl::unexpected(ready.error());
    auto version = versions_.draw(pool_, call);
    if (!version || changes.empty()) return version;
    const Names names(prefix_, name_space);
    const bool is_plain = std::none_of(changes.begin(), changes.end(),
                                       [](const auto& change) { return change.ttl || change.expected_version; });
    const auto written = is_plain ? write_plain(names, name_space, changes, *version, call)
                                  : write_checked(names, name_space, changes, *version, call);
    if (!written) return tl::unexpected(written.error());
    return version;
  }

  Result<std::vector<KeyInfo>> list(std::string_view name_space, std::string_view prefix, std::string_view after_key,
                                    std::size_t limit, const CallOptions& call) override {
    if (auto checked = check_list(name_space, prefix, after_key); !checked) return tl::unexpected(checked.error());
    if (auto ready = check_ready(call); !ready) return tl::unexpected(ready.error());
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
    if (auto kept = versions_.check_now(pool_, call); !kept) return tl::unexpected(kept.error());
    return listed;
  }

  Result<void> erase_namespace(std::string_view name_space, const CallOptions& call) override {
    if (auto checked = check_namespace(name_space); !checked) return checked;
    if (auto ready = check_ready(call); !ready) return ready;
    const Names names(prefix_, name_space);
    while (true) {
      const auto left = erase_.run(pool_, names.arguments(), call);
      if (!left) return tl::unexpected(left.error());
      if ((*left)->type != REDIS_REPLY_INTEGER) return unexpected_reply();
      if ((*left)->integer == 0) return {};
    }
  }

 private:
  Result<void> check_ready(const CallOptions& call) const {
    if (auto wanted = check_wanted(call); !wanted) return wanted;
    return versions_.check();
  }

  static tl::unexpected<Error> evicted() {
    return fail(ErrorCode::bad_data, "redis: a stored value is gone; does the server evict?");
  }

  /// A reply to another question, perhaps: then no connection is trusted any more.
  tl::unexpected<Error> unexpected_reply() {
    pool_.close_idle();
    return fail(ErrorCode::bad_data, "redis: the server answered something else than what was asked for");
  }

  /// Without anything to check, a transaction does what the script does, and the server need not interpret it.
  Result<void> write_plain(const Names& names, std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                           std::uint64_t version, const CallOptions& call) {
    const auto version_text = redis::version_text(version);
    const auto set = static_cast<std::size_t>(
        std::count_if(changes.begin(), changes.end(), [](const auto& change) { return change.value.has_value(); }));
    const auto erased = changes.size() - set;
    auto request = pool_.request();
    std::size_t bytes = 0;
    for (const auto& change : changes) {
      bytes += names.values.size() + 3 * change.key.size();
      if (change.value) bytes += redis::header_bytes(name_space, change.key) + change.value->size();
    }
    request.reserve(16 + 4 * changes.size(), bytes + 2 * names.index.size());
    request.command({"MULTI"});
    if (set > 0) {
      request.begin(1 + 2 * set).word("MSET");
      for (const auto& change : changes) {
        if (!change.value) continue;
        const auto& key = change.key;
        const auto lengths = redis::owner_lengths(name_space, key);
        request.word({names.values, key}).word({version_text, " ", lengths, name_space, key, *change.value});
      }
      request.begin(2 + 2 * set).word("ZADD").word(names.index);
      for (const auto& change : changes) {
        if (change.value) request.word("0").word(change.key);
      }
    }
    if (erased > 0) {
      request.begin(1 + erased).word("UNLINK");
      for (const auto& change : changes) {
        if (!change.value) request.word({names.values, change.key});
      }
      request.begin(2 + erased).word("ZREM").word(names.index);
      for (const auto& change : changes) {
        if (!change.value) request.word(change.key);
      }
    }
    request.begin(2 + changes.size()).word("ZREM").word(names.expiry);
    for (const auto& change : changes) request.word(change.key);
    request.command({"EXEC"});
    const auto expected = request.commands() - 2;
    const auto replies = pool_.run(std::move(request), names.index, call);
    if (!replies) return tl::unexpected(replies.error());
    const auto& executed = *replies->back();
    if (executed.type != REDIS_REPLY_ARRAY || executed.elements != expected) return unexpected_reply();
    for (std::size_t i = 0; i < executed.elements; ++i) {
      if (redis::is_error(*executed.element[i])) return unexpected_reply();
    }
    return {};
  }

  Result<void> write_checked(const Names& names, std::string_view name_space, const std::vector<KeyValueWrite>& changes,
                             std::uint64_t version, const CallOptions& call) {
    const auto version_text = redis::version_text(version);
    auto arguments = names.arguments();
    std::vector<std::array<std::string, 3>> texts(changes.size());  // ttl, expected version, content
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto& change = changes[i];
      auto& [ttl, expected, content] = texts[i];
      if (change.ttl) ttl = std::to_string(capped_ttl(*change.ttl).count());
      if (change.expected_version) expected = redis::version_text(*change.expected_version);
      if (change.value) {
        content = version_text + ' ' + redis::owner_lengths(name_space, change.key);
        content.append(name_space).append(change.key).append(*change.value);
      }
      arguments.insert(arguments.end(), {change.key, change.value ? "set" : "erase", ttl, expected, content});
    }
    const auto reply = write_.run(pool_, arguments, call);
    if (!reply) return tl::unexpected(reply.error());
    if ((*reply)->type != REDIS_REPLY_INTEGER) return unexpected_reply();
    if ((*reply)->integer == 0) return fail(ErrorCode::conflict, "version changed");
    if ((*reply)->integer == 2) return evicted();
    return {};
  }

  /// One plain read where all keys are there; else a script looks at once which of the missing ones were evicted.
  Result<Reply> read_present(const Names& names, const std::vector<std::string>& keys, const CallOptions& call) {
    auto request = pool_.request();
    request.begin(1 + keys.size()).word("MGET");
    for (const auto& key : keys) request.word({names.values, key});
    auto replies = pool_.run(std::move(request), names.index, call);
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
                                                         const std::vector<std::string>& keys, redisReply& reply) {
    if (reply.type != REDIS_REPLY_ARRAY || reply.elements != keys.size()) return unexpected_reply();
    std::vector<std::optional<StoredValue>> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto& element = *reply.element[i];
      if (element.type == REDIS_REPLY_NIL) continue;
      if (element.type == REDIS_REPLY_INTEGER) return evicted();
      if (element.type != REDIS_REPLY_STRING) return unexpected_reply();
      auto stored = redis::decode_value(name_space, keys[i], redis::text_of(element));
      if (!stored) return unexpected_reply();
      values[i] = std::move(stored);
      // At once: the next value takes its place, and large results need half of the memory.
      freeReplyObject(std::exchange(reply.element[i], nullptr));
    }
    return values;
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
      const auto header = redis::header_bytes(name_space, key);
      const auto length = static_cast<std::size_t>(std::max(page.element[i + 1]->integer, 0ll));
      listed.push_back({std::string(key), length - std::min(length, header)});
    }
    return static_cast<std::size_t>(page.element[0]->integer);
  }

  std::string prefix_;
  redis::Pool pool_;
  redis::Versions versions_;
  redis::Script read_{redis::read_script};
  redis::Script write_{redis::write_script};
  redis::Script list_{redis::list_script};
  redis::Script erase_{redis::erase_script};
};

}  // namespace

Result<std::unique_ptr<KeyValueStore>> make_redis_key_value_store(const RedisOptions& options) {
  auto url = redis::parse_url(options.url);
  if (!url) return tl::unexpected(url.error());
  if (url->tls) {
    if (auto tls = redis::Tls::create(url->host, options.ca_file); !tls) return tl::unexpected(tls.error());
  }
  if (options.key_prefix.find_first_of("{}") != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "redis: braces in the key prefix");
  }
  auto without_url = options;  // which has the password
  redis::wipe(without_url.url);
  return std::make_unique<RedisKeyValueStore>(*std::move(url), without_url);
}

}  // namespace ctxmgr
