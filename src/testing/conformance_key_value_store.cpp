#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "ctxmgr/testing/conformance.hpp"
#include "testing/promises.hpp"

namespace ctxmgr::testing {
namespace {

using namespace std::chrono_literals;
using std::string_literals::operator""s;

using Make = std::function<std::unique_ptr<KeyValueStore>()>;
using Sleep = std::function<void(std::chrono::milliseconds)>;

class Checker {
 public:
  Checker(const Make& make, const Sleep& sleep) : make_(make), sleep_(sleep) {}

  void expect(bool kept, std::string promise) {
    const std::scoped_lock lock(mutex_);
    if (!kept) broken_.push_back(std::move(promise));
  }

  void pass_time(std::chrono::milliseconds by) const { sleep_ ? sleep_(by) : std::this_thread::sleep_for(by); }

  std::unique_ptr<KeyValueStore> fresh() const { return make_(); }
  std::vector<std::string> take_broken() { return std::move(broken_); }

 private:
  const Make& make_;
  const Sleep& sleep_;
  std::mutex mutex_;
  std::vector<std::string> broken_;
};

KeyValueWrite set(std::string key, std::string value) { return {std::move(key), std::move(value), {}, {}}; }
KeyValueWrite set_if(std::string key, std::string value, std::uint64_t expected_version) {
  return {std::move(key), std::move(value), {}, expected_version};
}
KeyValueWrite erase(std::string key) { return {std::move(key), {}, {}, {}}; }

bool put(KeyValueStore& store, std::string_view name_space, std::string key, std::string value) {
  return store.write(name_space, {set(std::move(key), std::move(value))}, {}).has_value();
}

std::optional<StoredValue> get(KeyValueStore& store, std::string_view name_space, const std::string& key) {
  auto values = store.read(name_space, {key}, {});
  return values && values->size() == 1 ? (*values)[0] : std::nullopt;
}

std::string value_of(KeyValueStore& store, std::string_view name_space, const std::string& key) {
  const auto stored = get(store, name_space, key);
  return stored ? stored->value : "(absent)";
}

/// Keys of a listing, page by page.
std::vector<std::string> keys_of(KeyValueStore& store, std::string_view name_space, std::string_view prefix,
                                 std::size_t page) {
  std::vector<std::string> keys;
  while (true) {
    const std::string after = keys.empty() ? "" : keys.back();
    const auto listed = store.list(name_space, prefix, after, page, {});
    if (!listed) return {"(failed)"};
    for (const auto& info : *listed) keys.push_back(info.key);
    if (listed->size() < page || keys.size() > 10'000) return keys;
  }
}

void check_reads(Checker& check, KeyValueStore& store) {
  check.expect(store.write("n", {set("b", "2"), set("a", "1"), set("empty", "")}, {}).has_value(), "write sets keys");
  const auto values = store.read("n", {"a", "missing", "b", "a", "empty"}, {});
  check.expect(values && values->size() == 5, "read answers every key that is asked for");
  if (!values || values->size() != 5) return;
  const auto& v = *values;
  check.expect(v[0] && v[0]->value == "1" && v[2] && v[2]->value == "2" && v[3] && v[3]->value == "1",
               "read answers in the order of the keys, repeated ones too");
  check.expect(!v[1], "an absent key is nullopt");
  check.expect(v[4] && v[4]->value.empty(), "an empty value is a value");
  check.expect(v[0] && v[4] && v[0]->version != 0 && v[0]->version == v[4]->version,
               "keys set in one write share a version that is not 0");
  const auto nothing = store.read("n", {}, {});
  check.expect(nothing && nothing->empty(), "reading no keys gives no values");
  check.expect(put(store, "n", "a", "new") && value_of(store, "n", "a") == "new", "a later write replaces the value");
  check.expect(store.write("n", {}, {}).value_or(0) != 0 && value_of(store, "n", "a") == "new",
               "a write of nothing succeeds and changes nothing");
  check.expect(store.write("n", {erase("a"), erase("missing")}, {}).has_value() && !get(store, "n", "a"),
               "erasing removes a key, and an absent one is no error");
}

void check_versions(Checker& check, KeyValueStore& store) {
  std::set<std::uint64_t> versions;
  for (int i = 0; i < 30; ++i) {
    const auto written = store.write("n", {set("k", std::to_string(i))}, {});
    const auto read = get(store, "n", "k");
    check.expect(written && read && read->version == *written, "write returns the version that read then gives");
    if (written) versions.insert(*written);
    if (i % 3 == 1) check.expect(store.write("n", {erase("k")}, {}).has_value(), "erase works");
    if (i % 7 == 3) check.expect(store.erase_namespace("n", {}).has_value(), "erase_namespace works");
  }
  check.expect(versions.size() == 30 && !versions.contains(0), "a key never gets the same version twice, or 0");
}

void check_expected_versions(Checker& check, KeyValueStore& store) {
  const auto created = store.write("n", {set_if("k", "first", 0)}, {});
  check.expect(created.has_value(), "expected version 0 creates an absent key");
  check.expect(failed_with(store.write("n", {set_if("k", "x", 0)}, {}), ErrorCode::conflict),
               "expected version 0 conflicts where the key is there");
  const auto updated = store.write("n", {set_if("k", "second", created.value_or(1))}, {});
  check.expect(updated.has_value(), "the current version lets a write through");
  check.expect(failed_with(store.write("n", {set_if("k", "x", created.value_or(1))}, {}), ErrorCode::conflict),
               "an old version conflicts");
  check.expect(failed_with(store.write("n", {set_if("other", "x", 7)}, {}), ErrorCode::conflict),
               "a version of an absent key conflicts");
  check.expect(failed_with(store.write("n", {{"k", {}, {}, created.value_or(1)}}, {}), ErrorCode::conflict),
               "erasing with an old version conflicts");
  check.expect(value_of(store, "n", "k") == "second", "a conflict changes nothing");
  check.expect(store.write("n", {{"k", {}, {}, updated.value_or(1)}}, {}).has_value() && !get(store, "n", "k"),
               "erasing with the current version works");
  check.expect(failed_with(store.write("n", {set_if("k", "x", updated.value_or(1))}, {}), ErrorCode::conflict),
               "a version from before an erase conflicts");
}

void check_atomicity(Checker& check, KeyValueStore& store) {
  put(store, "n", "a", "old a");
  put(store, "n", "gone", "still here");
  const auto result = store.write("n", {set("a", "new"), set("b", "new"), erase("gone"), set_if("c", "new", 99)}, {});
  check.expect(failed_with(result, ErrorCode::conflict), "one wrong version makes the whole write conflict");
  check.expect(value_of(store, "n", "a") == "old a" && !get(store, "n", "b") && !get(store, "n", "c") &&
                   value_of(store, "n", "gone") == "still here",
               "a write that conflicts makes none of its changes");
  const auto all = store.write("n", {set("a", "new"), set_if("b", "new", 0), erase("gone")}, {});
  check.expect(
      all && value_of(store, "n", "a") == "new" && value_of(store, "n", "b") == "new" && !get(store, "n", "gone"),
      "a write makes all of its changes");
}

void check_limits(Checker& check, KeyValueStore& store) {
  const std::string long_namespace(max_namespace_bytes, 'n');
  const std::string long_key(max_key_bytes, 'k');
  check.expect(put(store, long_namespace, long_key, "v") && value_of(store, long_namespace, long_key) == "v",
               "namespaces of 512 bytes and keys of 1024 are taken");
  check.expect(failed_with(store.write(long_namespace + "n", {set("k", "v")}, {}), ErrorCode::limit_exceeded),
               "a longer namespace is limit_exceeded");
  check.expect(failed_with(store.write("n", {set(long_key + "k", "v")}, {}), ErrorCode::limit_exceeded) &&
                   failed_with(store.read("n", {long_key + "k"}, {}), ErrorCode::limit_exceeded),
               "a longer key is limit_exceeded");
  check.expect(failed_with(store.write("n", {set("", "v")}, {}), ErrorCode::invalid_argument),
               "an empty key is invalid_argument");
  check.expect(failed_with(store.write("n", {set("k", "1"), erase("k")}, {}), ErrorCode::invalid_argument),
               "a key that occurs twice in a write is invalid_argument");
  check.expect(failed_with(store.write("n", {{"k", "v", 0ms, {}}}, {}), ErrorCode::invalid_argument),
               "a time to live of zero is invalid_argument");
  const std::string largest(max_value_bytes, 'v');
  check.expect(put(store, "n", "large", largest) && value_of(store, "n", "large") == largest,
               "a value of 16 MiB is kept whole");
  check.expect(failed_with(store.write("n", {set("large", largest + "v")}, {}), ErrorCode::limit_exceeded),
               "a larger value is limit_exceeded");
}

const std::vector<std::string>& nasty_texts() {
  static const std::vector<std::string> texts = {"a",
                                                 "b",
                                                 "ab",
                                                 "a:b",
                                                 "b:c",
                                                 "a:",
                                                 ":a",
                                                 "*",
                                                 "a*",
                                                 "?",
                                                 "[a]",
                                                 "[^a]",
                                                 "\\",
                                                 "\\*",
                                                 "%",
                                                 "_",
                                                 "a%",
                                                 "'",
                                                 "\"",
                                                 "--",
                                                 "; DROP TABLE kv",
                                                 "{",
                                                 "}",
                                                 "{a}",
                                                 "{}",
                                                 "../x",
                                                 "a/b",
                                                 " ",
                                                 "a ",
                                                 "\t",
                                                 "\r\n",
                                                 "A",
                                                 "\0"s,
                                                 "a\0b"s,
                                                 "a\0"s,
                                                 "\0a"s,
                                                 "\x01",
                                                 "\x7f",
                                                 "\x80",
                                                 "\xff",
                                                 "\xff\xff",
                                                 "\xc3\x28",
                                                 "\xed\xa0\x80",
                                                 "\xc3\xa9",
                                                 "e\xcc\x81",
                                                 "\xf0\x9f\x98\x80",
                                                 "\xe2\x80\xae",
                                                 "nan",
                                                 "0",
                                                 "-1",
                                                 "1e309",
                                                 "$-1",
                                                 "*3\r\n$3\r\nDEL"};
  return texts;
}

void check_opaque_bytes(Checker& check, KeyValueStore& store) {
  const auto& texts = nasty_texts();
  const auto content = [](const std::string& name_space, const std::string& key) {
    return std::to_string(name_space.size()) + "|" + name_space + "|" + key;
  };
  for (const auto& name_space : texts) {
    std::vector<KeyValueWrite> changes;
    for (const auto& key : texts) changes.push_back(set(key, content(name_space, key)));
    check.expect(store.write(name_space, changes, {}).has_value(), "any bytes make a namespace and a key");
  }
  auto sorted = texts;
  std::sort(sorted.begin(), sorted.end());
  for (const auto& name_space : texts) {
    const auto values = store.read(name_space, texts, {});
    bool own = values && values->size() == texts.size();
    for (std::size_t i = 0; own && i < texts.size(); ++i) {
      own = (*values)[i] && (*values)[i]->value == content(name_space, texts[i]);
    }
    check.expect(own, "every namespace and key has a value of its own, bytes unchanged");
    check.expect(keys_of(store, name_space, "", 7) == sorted, "a listing gives keys of any bytes, in byte order");
  }
  for (const auto& name_space : {"a"s, "*"s, "a\0b"s, "%"s}) {
    check.expect(store.erase_namespace(name_space, {}).has_value(), "erase_namespace works for any bytes");
    check.expect(keys_of(store, name_space, "", 7).empty(), "erase_namespace leaves nothing");
  }
  for (const auto& name_space : {"ab"s, "b"s, "a*"s, "a\0"s, "_"s}) {
    check.expect(keys_of(store, name_space, "", 100).size() == texts.size(), "erase_namespace reaches nothing else");
  }
}

void check_key_listing(Checker& check, KeyValueStore& store) {
  for (const auto& key : {"b", "a", "ab", "abc", "b\xff", "b\xff\xff", "c", "aa"})
    put(store, "n", key, std::string(5, 'x'));
  using Keys = std::vector<std::string>;
  check.expect(keys_of(store, "n", "", 3) == Keys{"a", "aa", "ab", "abc", "b", "b\xff", "b\xff\xff", "c"},
               "paging lists every key once, in byte order");
  check.expect(keys_of(store, "n", "ab", 1) == Keys{"ab", "abc"}, "a prefix selects keys that begin with it");
  check.expect(keys_of(store, "n", "b\xff", 1) == Keys{"b\xff", "b\xff\xff"}, "a prefix may end in byte 255");
  check.expect(keys_of(store, "n", "z", 1).empty() && keys_of(store, "other", "", 1).empty(),
               "nothing to list is no error");
  const auto none = store.list("n", "", "", 0, {});
  check.expect(none && none->empty(), "a limit of 0 lists nothing");
  const auto after = store.list("n", "a", "aaz", 10, {});
  check.expect(after && after->size() == 2 && (*after)[0].key == "ab" && (*after)[0].value_bytes == 5,
               "a listing goes on after a key that need not be there, and tells sizes");
  const auto before = store.list("n", "b", "a", 1, {});
  check.expect(before && before->size() == 1 && (*before)[0].key == "b", "after_key may lie before the prefix");
  const auto past = store.list("n", "a", "b", 10, {});
  check.expect(past && past->empty(), "after_key may lie past the prefix");
}

void check_listing_under_writes(Checker& check, KeyValueStore& store) {
  for (int i = 0; i < 20; ++i) put(store, "n", "stays" + std::to_string(10 + i), "v");
  std::map<std::string, int> seen;
  std::string after;
  for (int page = 0; page < 100; ++page) {
    const auto listed = store.list("n", "", after, 3, {});
    if (!listed || listed->empty()) break;
    for (const auto& info : *listed) ++seen[info.key];
    after = listed->back().key;
    put(store, "n", "comes" + std::to_string(page), "v");
    if (page > 0) (void)store.write("n", {erase("comes" + std::to_string(page - 1))}, {});
  }
  for (int i = 0; i < 20; ++i) {
    check.expect(seen["stays" + std::to_string(10 + i)] == 1,
                 "a key that is there throughout a listing is listed once");
  }
}

void check_expiry(Checker& check, KeyValueStore& store) {
  const auto short_lived =
      store.write("n", {{"short", "v", 60ms, {}}, {"long", "v", 1h, {}}, {"replaced", "1", 60ms, {}}}, {});
  check.expect(short_lived && put(store, "n", "replaced", "2"), "keys may have a time to live");
  check.expect(store.write("n", {{"huge", "v", std::chrono::milliseconds::max(), {}}}, {}) &&
                   value_of(store, "n", "huge") == "v",
               "a time to live may be very long");
  check.pass_time(90ms);
  check.expect(!get(store, "n", "short"), "a key is gone when its time has passed");
  check.expect(keys_of(store, "n", "", 10) == std::vector<std::string>{"huge", "long", "replaced"},
               "an expired key is not listed");
  check.expect(value_of(store, "n", "long") == "v", "a key stays while its time has not passed");
  check.expect(value_of(store, "n", "replaced") == "2", "a write without time to live ends the one before");
  check.expect(failed_with(store.write("n", {set_if("short", "x", short_lived.value_or(1))}, {}), ErrorCode::conflict),
               "an expired key has no version");
  check.expect(store.write("n", {set_if("short", "again", 0)}, {}).has_value(), "an expired key counts as absent");
}

void check_call_options(Checker& check, KeyValueStore& store) {
  put(store, "n", "k", "v");
  const CallOptions cancelled{CancellationToken([] { return true; }), {}};
  CallOptions late;
  late.deadline = std::chrono::steady_clock::time_point::min();
  for (const auto& [call, code] : {std::pair{cancelled, ErrorCode::cancelled}, {late, ErrorCode::deadline_exceeded}}) {
    check.expect(failed_with(store.read("n", {"k"}, call), code) &&
                     failed_with(store.list("n", "", "", 1, call), code) &&
                     failed_with(store.write("n", {set("k", "x")}, call), code) &&
                     failed_with(store.erase_namespace("n", call), code),
                 std::string("a call that is no longer wanted is ").append(to_string(code)));
  }
  check.expect(value_of(store, "n", "k") == "v", "a call that is no longer wanted changes nothing");
}

/// Adds 1 to a counter and to its twin until `rounds` of its writes got through.
void count_up(Checker& check, KeyValueStore& store, int rounds) {
  for (int done = 0, tries = 0; done < rounds && tries < 20'000; ++tries) {
    const auto values = store.read("n", {"counter", "twin"}, {});
    if (!values || values->size() != 2 || !(*values)[0] || !(*values)[1]) {
      return check.expect(false, "reads succeed while others write");
    }
    const auto& [value, version] = *(*values)[0];
    check.expect(value == (*values)[1]->value, "a read never sees half of a write");
    const auto next = std::to_string(std::stoll(value) + 1);
    const auto written = store.write("n", {set_if("counter", next, version), set("twin", next)}, {});
    check.expect(written || written.error().code == ErrorCode::conflict, "a lost race is a conflict");
    if (written) ++done;
  }
}

void check_key_value_threads(Checker& check, KeyValueStore& store) {
  constexpr int thread_count = 8;
  constexpr int rounds = 20;
  check.expect(store.write("n", {set("counter", "0"), set("twin", "0")}, {}).has_value(), "write sets keys");
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back([&] { count_up(check, store, rounds); });
  for (auto& thread : threads) thread.join();
  check.expect(value_of(store, "n", "counter") == std::to_string(thread_count * rounds),
               "no update under an expected version is lost");
}

}  // namespace

std::vector<std::string> check_key_value_store(const Make& make, const Sleep& sleep) {
  Checker check(make, sleep);
  for (const auto part :
       {check_reads, check_versions, check_expected_versions, check_atomicity, check_limits, check_opaque_bytes,
        check_key_listing, check_listing_under_writes, check_expiry, check_call_options, check_key_value_threads}) {
    const auto store = check.fresh();
    if (!store) {
      check.expect(false, "make() opens a store");
      continue;
    }
    part(check, *store);
  }
  return check.take_broken();
}

}  // namespace ctxmgr::testing
