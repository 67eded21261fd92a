#include "session/memory_files.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/json/json.hpp"
#include "core/worded.hpp"
#include "ports/guarded.hpp"
#include "ports/key_value_checks.hpp"
#include "session/memory_path.hpp"

namespace ctxmgr::session {
namespace {

constexpr std::size_t max_user_bytes = 128;
constexpr std::size_t most_files = 1'000;
constexpr std::size_t most_changes = 1'000;
constexpr std::size_t most_file_bytes = std::size_t{1} << 20;  // six times that still fits a value, as JSON
constexpr std::string_view file_prefix = "file:";
constexpr std::string_view change_prefix = "change:";
const std::string head_key = "head";

std::string file_key(std::string_view path) { return std::string(file_prefix).append(path); }

/// Sorts as the numbers do.
std::string change_key(std::int64_t number) { return std::string(change_prefix) + padded(number, 16, '0'); }

std::int64_t milliseconds(Timestamp at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

Timestamp now(const MemoryOptions& options) {
  return options.clock ? options.clock->now() : std::chrono::system_clock::now();
}

std::string change_json(std::string_view command, const MemoryEdit& edit, const std::optional<std::string>& before,
                        Timestamp at) {
  Json change{{"at", milliseconds(at)}, {"command", std::string(command)}, {"path", edit.path}};
  if (!edit.new_path.empty()) {
    change["new_path"] = edit.new_path;
  } else if (before) {
    change["before"] = *before;
  }
  return dump_json(change);
}

MemoryChange to_change(std::int64_t number, const std::string& text) {
  MemoryChange change;
  change.number = number;
  const auto json = parse_json(text);
  if (!json) return change;  // damaged: that something was changed is still known
  const auto text_at = [&](std::string_view key) {
    const auto* found = get_string(*json, key);
    return found ? *found : std::string();
  };
  change.at = Timestamp(std::chrono::milliseconds(get_int(*json, "at").value_or(0)));
  change.command = text_at("command");
  change.path = text_at("path");
  change.new_path = text_at("new_path");
  if (const auto* before = get_string(*json, "before")) change.before = *before;
  return change;
}

struct Head {
  std::uint64_t version = 0;
  std::int64_t first_change = 1;
  std::int64_t next_change = 1;
};

Result<Head> read_head(const MemoryOptions& options, const CallOptions& call) {
  const auto read = guarded([&] { return options.store->read(memory_namespace(options), {head_key}, call); });
  if (!read) return tl::unexpected(read.error());
  Head head;
  if (read->empty() || !read->front()) return head;
  head.version = read->front()->version;
  const auto json = parse_json(read->front()->value);
  head.first_change = json ? get_int(*json, "first_change").value_or(0) : 0;
  head.next_change = json ? get_int(*json, "next_change").value_or(0) : 0;
  if (head.first_change < 1 || head.next_change < head.first_change) {
    return fail(ErrorCode::bad_data, "the memory's head cannot be read");
  }
  return head;
}

}  // namespace

Result<void> check_memory(const MemoryOptions& options) {
  if (!options.store) return fail(ErrorCode::invalid_argument, "memory: no store");
  if (options.user.empty() || options.user.size() > max_user_bytes) {
    return fail(ErrorCode::invalid_argument, "memory: a user has 1 to 128 bytes");
  }
  if (options.max_files > most_files || options.max_changes > most_changes ||
      options.max_file_bytes > most_file_bytes) {
    return fail(ErrorCode::invalid_argument, "memory: at most 1000 files, 1000 changes and 1 MiB a file");
  }
  return {};
}

std::string memory_namespace(const MemoryOptions& options) { return "ctxmgr.memory.1:" + options.user; }

Result<MemoryFiles> MemoryFiles::open(const MemoryOptions& options, const CallOptions& call) {
  // The head comes first: whatever changes after it makes the commit a conflict.
  const auto head = read_head(options, call);
  if (!head) return tl::unexpected(head.error());
  MemoryFiles memory(options, call);
  memory.head_version_ = head->version;
  memory.first_change_ = head->first_change;
  memory.next_change_ = head->next_change;
  const auto page =
      guarded([&] { return options.store->list(memory_namespace(options), file_prefix, {}, most_files, call); });
  if (!page) return tl::unexpected(page.error());
  if (auto sound = check_listed(*page, file_prefix, {}); !sound) return tl::unexpected(sound.error());
  for (const auto& info : *page) memory.files_.push_back({info.key.substr(file_prefix.size()), info.value_bytes});
  return memory;
}

const MemoryFile* MemoryFiles::find(std::string_view path) const {
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const auto& file) { return file.path == path; });
  return found == files_.end() ? nullptr : &*found;
}

bool MemoryFiles::is_directory(std::string_view path) const {
  return path == memory_root ||
         std::any_of(files_.begin(), files_.end(), [&](const auto& file) { return is_below(file.path, path); });
}

Result<std::string> MemoryFiles::read(const std::string& path) const {
  auto read = guarded([&] { return options_->store->read(memory_namespace(*options_), {file_key(path)}, *call_); });
  if (!read) return tl::unexpected(read.error());
  if (read->empty() || !read->front()) return fail(ErrorCode::conflict, "the file is gone");
  return std::move(read->front()->value);
}

Result<void> MemoryFiles::check_limits(const std::vector<MemoryEdit>& edits) const {
  std::size_t count = files_.size();
  std::size_t bytes = 0;
  for (const auto& file : files_) bytes += file.bytes;
  for (const auto& edit : edits) {
    const auto* old = find(edit.path);
    const auto size = edit.text ? edit.text->size() : 0;
    if (size > options_->max_file_bytes) {
      return fail(ErrorCode::limit_exceeded, worded("a file holds at most {} bytes", options_->max_file_bytes));
    }
    if (edit.text) ++count;
    if (old) --count;
    bytes += size - (old ? old->bytes : 0);
  }
  const bool grows = std::any_of(edits.begin(), edits.end(), [&](const auto& edit) {
    const auto* old = find(edit.path);
    return edit.text && edit.text->size() > (old ? old->bytes : 0);
  });
  if (grows && count > options_->max_files) {
    return fail(ErrorCode::limit_exceeded, worded("the memory holds at most {} files", options_->max_files));
  }
  if (grows && bytes > options_->max_bytes) {
    return fail(ErrorCode::limit_exceeded, worded("the memory holds at most {} bytes", options_->max_bytes));
  }
  return {};
}

Result<void> MemoryFiles::commit(std::string_view command, std::vector<MemoryEdit> edits) const {
  if (auto checked = check_limits(edits); !checked) return checked;
  std::vector<KeyValueWrite> writes;
  auto next = next_change_;
  const auto at = now(*options_);
  for (auto& edit : edits) {
    std::optional<std::string> before;
    if (edit.new_path.empty() && find(edit.path) != nullptr) {
      auto read_before = read(edit.path);
      if (!read_before) return tl::unexpected(read_before.error());
      before = *std::move(read_before);
    }
    if (options_->max_changes > 0) writes.push_back({change_key(next), change_json(command, edit, before, at)});
    ++next;
    if (!edit.new_path.empty()) {
      writes.push_back({file_key(edit.new_path), std::move(edit.text)});
      edit.text.reset();
    }
    writes.push_back({file_key(edit.path), std::move(edit.text)});
  }
  // Of more changes than are remembered the oldest go, those of this call included.
  const auto first = std::max(first_change_, next - static_cast<std::int64_t>(options_->max_changes));
  std::erase_if(writes, [&](const auto& write) {
    return write.key.compare(0, change_prefix.size(), change_prefix) == 0 && write.key < change_key(first);
  });
  for (auto old = first_change_; old < std::min(first, next_change_); ++old) writes.push_back({change_key(old), {}});
  writes.push_back({head_key, dump_json(Json{{"first_change", first}, {"next_change", next}}), {}, head_version_});
  const auto written = guarded([&] { return options_->store->write(memory_namespace(*options_), writes, *call_); });
  if (!written) return tl::unexpected(written.error());
  return {};
}

Result<std::vector<MemoryChange>> read_changes(const MemoryOptions& options, std::size_t limit,
                                               const CallOptions& call) {
  const auto head = read_head(options, call);
  if (!head) return tl::unexpected(head.error());
  std::vector<std::string> keys;
  std::vector<std::int64_t> numbers;
  for (auto number = head->next_change; --number >= head->first_change && numbers.size() < limit;) {
    numbers.push_back(number);
    keys.push_back(change_key(number));
  }
  if (keys.empty()) return std::vector<MemoryChange>();
  const auto values = guarded([&] { return options.store->read(memory_namespace(options), keys, call); });
  if (!values) return tl::unexpected(values.error());
  std::vector<MemoryChange> changes;
  for (std::size_t i = 0; i < values->size(); ++i) {
    // One that is not there was forgotten between the two reads.
    if (const auto& value = (*values)[i]) changes.push_back(to_change(numbers[i], value->value));
  }
  return changes;
}

}  // namespace ctxmgr::session
