#include "session/session_entries.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "ports/guarded.hpp"
#include "ports/key_value_checks.hpp"

namespace ctxmgr {
namespace {

// In a session's namespace, frozen (v1): entries under "k" and their key, and a mark. The mark is there from the first
// write on, so that reading it beside an entry finds both: some stores have to look twice for what is absent. Its version
// stays the same as long as the session lives. While the session is archived there is a second one: that it is absent is
// a condition of every write.
constexpr std::string_view namespace_prefix = "ctxmgr.session.1:";
constexpr std::string_view entry_prefix = "k";
constexpr std::string_view mark_key = "m:state";
constexpr std::string_view open_mark = "open";
constexpr std::string_view archived_mark = "archived";
constexpr std::string_view archived_key = "m:archived";

constexpr std::size_t entry_overhead_bytes = 128;
constexpr std::size_t keys_a_page = 1'000;
constexpr int max_races = 100;
constexpr std::uint64_t another_session = static_cast<std::uint64_t>(-1);

// Of contents that are kept at once: they are all in memory twice, and a server does nothing else meanwhile.
constexpr std::size_t max_batch_bytes = std::size_t{4} << 20;

std::string store_key(std::string_view key) { return std::string(entry_prefix).append(key); }

tl::unexpected<Error> archived() { return fail(ErrorCode::denied, "the session is archived"); }
tl::unexpected<Error> destroyed() { return fail(ErrorCode::conflict, "the session was destroyed meanwhile"); }
tl::unexpected<Error> too_large() { return fail(ErrorCode::limit_exceeded, "value over 16 MiB"); }

Result<std::optional<SessionEntries::Loaded>> decode_entry(std::optional<StoredValue> stored) {
  if (!stored) return std::nullopt;
  const auto label = decode_label(stored->value);
  if (!label) return fail(ErrorCode::bad_data, "an entry of the session is damaged");
  stored->value.erase(0, entry_label_bytes);
  return SessionEntries::Loaded{{std::move(stored->value), stored->version, label->trust, label->read_only},
                                label->left_out};
}

}  // namespace

SessionEntries::SessionEntries(std::shared_ptr<KeyValueStore> store, std::string_view session_id, std::size_t max_bytes)
    : store_(std::move(store)), name_space_(std::string(namespace_prefix).append(session_id)), usage_(max_bytes) {}

Result<void> SessionEntries::check_open(const CallOptions& call) const {
  const auto state = state_of(std::nullopt, call);
  return state ? Result<void>() : tl::unexpected(state.error());
}

Result<std::optional<SessionEntries::Loaded>> SessionEntries::load(std::string_view key,
                                                                   const CallOptions& call) const {
  auto state = state_of(key, call);
  if (!state) return tl::unexpected(state.error());
  return std::move(state->loaded);
}

Result<std::vector<std::optional<SessionEntries::Loaded>>> SessionEntries::load_some(
    const std::vector<std::string>& keys, const CallOptions& call) const {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const auto& key : keys) names.push_back(store_key(key));
  auto values = read(names, call);
  if (!values) return tl::unexpected(values.error());
  std::vector<std::optional<Loaded>> some;
  some.reserve(keys.size());
  for (auto& value : *values) some.push_back(decode_entry(std::move(value)).value_or(std::nullopt));
  return some;
}

Result<std::vector<KeyInfo>> SessionEntries::list(std::string_view prefix, std::string_view after, std::size_t limit,
                                                  const CallOptions& call) const {
  const auto after_key = after.empty() ? std::string() : store_key(after);
  auto page = guarded([&] { return store_->list(name_space_, store_key(prefix), after_key, limit, call); });
  if (!page) return page;
  if (auto sound = check_listed(*page, store_key(prefix), after_key); !sound) return tl::unexpected(sound.error());
  for (auto& info : *page) {
    info.key.erase(0, entry_prefix.size());
    info.value_bytes -= std::min(info.value_bytes, entry_label_bytes);
  }
  return page;
}

Result<std::uint64_t> SessionEntries::set(std::string_view key, std::string_view value,
                                          const ContextSetOptions& options, bool is_agent, const CallOptions& call) {
  if (value.size() > max_value_bytes - entry_label_bytes) return too_large();
  if (auto room = charge(key, value.size(), call); !room) return tl::unexpected(room.error());
  const EntryLabel label{options.trust, options.read_only, {}};
  return change_entry(key, {{}, encode_entry(label, value), options.ttl, options.expected_version}, is_agent, call);
}

Result<void> SessionEntries::erase(std::string_view key, bool is_agent, const CallOptions& call) {
  const auto erased = change_entry(key, {}, is_agent, call);
  if (!erased) return tl::unexpected(erased.error());
  usage_.recount();
  return {};
}

std::vector<Result<void>> SessionEntries::keep(const std::vector<Kept>& kept, const CallOptions& call) {
  std::vector<Result<void>> results(kept.size());
  for (std::size_t next = 0; next < kept.size();) {
    std::vector<Wanted> batch;
    std::set<std::string_view> keys;  // each of them once: what is there twice is in the next batch
    for (std::size_t bytes = 0; next < kept.size() && keys.insert(kept[next].key).second; ++next) {
      bytes += kept[next].artifact->content.size();
      if (!batch.empty() && bytes > max_batch_bytes) break;
      batch.push_back({&kept[next], &results[next]});
    }
    const auto done = keep_batch(batch, call);
    if (done) continue;
    if (done.error().code == ErrorCode::bad_data) {  // of one of them, which hides the others
      for (const auto& wanted : batch) (void)keep_batch({wanted}, call);
      continue;
    }
    for (; next < kept.size(); ++next) results[next] = tl::unexpected(done.error());
  }
  return results;
}

Result<void> SessionEntries::keep_batch(const std::vector<Wanted>& batch, const CallOptions& call) {
  Result<void> done;
  std::uint64_t mark = 0;
  for (int race = 0; race < max_races && mark != another_session; ++race) {
    done = keep_once(batch, mark, call);
    if (done || done.error().code != ErrorCode::conflict) break;
  }
  for (const auto& wanted : batch) {
    if (!done && *wanted.result) *wanted.result = done;
  }
  return done;
}

/// What is wrong with one of them is that one's result, everything else is a failure: `conflict` if somebody else was
/// faster. `mark`: that of the session, once it was seen; `another_session` where it has another one.
Result<void> SessionEntries::keep_once(const std::vector<Wanted>& batch, std::uint64_t& mark, const CallOptions& call) {
  std::vector<std::string> names{std::string(mark_key)};
  for (const auto& wanted : batch) names.push_back(store_key(wanted.kept->key));
  auto values = read(names, call);
  if (!values) return tl::unexpected(values.error());
  const auto& found = values->front();
  if (found && found->value != open_mark) return archived();
  const auto now = found ? found->version : 0;
  if (mark != 0 && now != mark) {
    mark = another_session;
    return destroyed();
  }
  mark = now;
  std::vector<KeyValueWrite> changes;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto change = write_for(*batch[i].kept, std::move((*values)[i + 1]), call);
    *batch[i].result = change ? Result<void>() : tl::unexpected(change.error());
    if (change && *change) changes.push_back(**std::move(change));
  }
  if (changes.empty()) return {};
  const auto written = change(mark, std::move(changes), call);
  return written ? Result<void>() : tl::unexpected(written.error());
}

/// Nothing where it is kept already.
Result<std::optional<KeyValueWrite>> SessionEntries::write_for(const Kept& kept, std::optional<StoredValue> stored,
                                                               const CallOptions& call) {
  const auto& artifact = *kept.artifact;
  if (artifact.content.size() > max_value_bytes - entry_label_bytes) return too_large();
  const auto version = stored ? stored->version : 0;
  const auto loaded = decode_entry(std::move(stored));
  if (!loaded) return tl::unexpected(loaded.error());
  if (*loaded) {
    const auto& entry = (*loaded)->entry;
    if (entry.value != artifact.content) return fail(ErrorCode::conflict, "another artifact is kept under this key");
    if (entry.trust == Trust::untrusted || artifact.trust == Trust::trusted) return std::nullopt;
  }
  if (auto room = charge(kept.key, artifact.content.size(), call); !room) return tl::unexpected(room.error());
  const EntryLabel label{artifact.trust, true, artifact.artifact_type};
  return KeyValueWrite{store_key(kept.key), encode_entry(label, artifact.content), {}, version};
}

Result<void> SessionEntries::archive(const CallOptions& call) {
  const auto written = write({{std::string(mark_key), std::string(archived_mark), {}, {}},
                              {std::string(archived_key), std::string(archived_mark), {}, {}}},
                             call);
  return written ? Result<void>() : tl::unexpected(written.error());
}

Result<void> SessionEntries::restore(const CallOptions& call) {
  const auto written = write({{std::string(mark_key), {}, {}, {}}, {std::string(archived_key), {}, {}, {}}}, call);
  return written ? Result<void>() : tl::unexpected(written.error());
}

Result<void> SessionEntries::erase_all(const CallOptions& call) {
  usage_.recount();
  return guarded([&] { return store_->erase_namespace(name_space_, call); });
}

Result<std::vector<std::optional<StoredValue>>> SessionEntries::read(const std::vector<std::string>& keys,
                                                                     const CallOptions& call) const {
  auto values = guarded([&] { return store_->read(name_space_, keys, call); });
  if (values && values->size() != keys.size()) return fail(ErrorCode::bad_data, "the store answered something else");
  return values;
}

Result<std::uint64_t> SessionEntries::write(const std::vector<KeyValueWrite>& changes, const CallOptions& call) const {
  return guarded([&] { return store_->write(name_space_, changes, call); });
}

Result<SessionEntries::State> SessionEntries::state_of(std::optional<std::string_view> key,
                                                       const CallOptions& call) const {
  std::vector<std::string> names{std::string(mark_key)};
  if (key) names.push_back(store_key(*key));
  auto values = read(names, call);
  if (!values) return tl::unexpected(values.error());
  const auto& mark = values->front();
  if (mark && mark->value != open_mark) return archived();
  State state{mark ? mark->version : 0, {}};
  if (!key) return state;
  auto loaded = decode_entry(std::move(values->back()));
  if (!loaded) return tl::unexpected(loaded.error());
  state.loaded = *std::move(loaded);
  return state;
}

/// Of an open session with this mark. `conflict`, too, where it was archived or destroyed meanwhile.
Result<std::uint64_t> SessionEntries::change(std::uint64_t mark, std::vector<KeyValueWrite> changes,
                                             const CallOptions& call) const {
  const auto entries = changes;
  changes.push_back({std::string(archived_key), {}, {}, 0});
  if (mark == 0) changes.push_back({std::string(mark_key), std::string(open_mark), {}, 0});
  const auto written = write(changes, call);
  return written && mark != 0 ? undone_if_destroyed(mark, entries, *written, call) : written;
}

Result<std::uint64_t> SessionEntries::change_entry(std::string_view key, KeyValueWrite wanted, bool is_agent,
                                                   const CallOptions& call) const {
  wanted.key = store_key(key);
  for (int race = 0; race < max_races; ++race) {
    // The host overwrites whatever is there, damaged or not.
    const auto state = state_of(is_agent ? std::optional(key) : std::nullopt, call);
    if (!state) return tl::unexpected(state.error());
    auto guarded_change = wanted;
    if (is_agent) {
      const auto& loaded = state->loaded;
      if (loaded && loaded->entry.read_only) {
        return fail(ErrorCode::denied, "the key is read-only");
      }
      guarded_change.expected_version = loaded ? loaded->entry.version : 0;
      if (wanted.expected_version && wanted.expected_version != guarded_change.expected_version) {
        return fail(ErrorCode::conflict, "version changed");
      }
    }
    auto written = change(state->mark, {std::move(guarded_change)}, call);
    if (written || written.error().code != ErrorCode::conflict) return written;
    // Somebody has changed the session, or the host's version is not the one.
    const auto now = state_of(std::nullopt, call);
    if (!now) return tl::unexpected(now.error());
    const bool is_race = is_agent || state->mark == 0 || !wanted.expected_version;
    if (!is_race || (state->mark != 0 && now->mark != state->mark)) return written;
  }
  return fail(ErrorCode::conflict, "the key is changed all the time");
}

/// A session that was destroyed since its mark was seen has none now, or another one: what was written into it meanwhile
/// goes, too.
Result<std::uint64_t> SessionEntries::undone_if_destroyed(std::uint64_t mark, const std::vector<KeyValueWrite>& changes,
                                                          std::uint64_t version, const CallOptions& call) const {
  const auto now = read({std::string(mark_key)}, call);
  if (!now) return version;
  const auto& found = now->front();
  if (found && (found->version == mark || found->value == archived_mark)) return version;
  for (const auto& change : changes) {
    if (!change.value) continue;
    auto undone = write({{change.key, {}, {}, version}}, call);
    if (!undone && undone.error().code != ErrorCode::conflict) return undone;
  }
  return destroyed();
}

Result<void> SessionEntries::charge(std::string_view key, std::size_t value_bytes, const CallOptions& call) {
  const auto count = [&]() -> Result<SessionUsage::Counted> {
    SessionUsage::Counted used;
    std::string after;
    while (true) {
      const auto page = list({}, after, keys_a_page, call);
      if (!page) return tl::unexpected(page.error());
      for (const auto& info : *page) used.bytes += info.key.size() + info.value_bytes + entry_overhead_bytes;
      used.entries += page->size();
      if (page->size() < keys_a_page) return used;
      after = page->back().key;
    }
  };
  return usage_.charge(key.size() + value_bytes + entry_overhead_bytes, count);
}

}  // namespace ctxmgr
