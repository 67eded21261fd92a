#include "serve/threads.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "serve/owner.hpp"
#include "serve/pausing_store.hpp"

namespace ctxpack::serve {
namespace {

constexpr const char* states = "ctxpack.threads";
constexpr const char* receipts_namespace = "ctxpack.receipts";
constexpr const char* readings_of = "ctxpack.readings";
constexpr const char* calibrations = "ctxpack.calibrations";
constexpr double calibration_step = 0.1;
constexpr std::chrono::hours kept_for{30 * 24};

constexpr double least_calibration = 0.5;
constexpr double most_calibration = 2.0;
constexpr std::int64_t telling_tokens = 1'000;  // Of a smaller request, what a service adds to each weighs too much.

struct Calibration {
  double learned = 1.0;
  double used = 1.0;
  bool is_new = true;
};

/// An owner has no space in it, so that no model's name makes another owner's key.
std::string calibration_key(const std::string& owner, const std::string& model) { return owner + " " + model; }

Calibration read_calibration(ctxmgr::KeyValueStore& store, const std::string& key) {
  Calibration calibration;
  const auto found = store.read(calibrations, {key}, {});
  if (!found || !found->front()) return calibration;
  Calibration read;
  const auto is_sane = [](double value) { return value >= least_calibration && value <= most_calibration; };
  if (std::sscanf(found->front()->value.c_str(), "%lf %lf", &read.learned, &read.used) == 2 && is_sane(read.learned) &&
      is_sane(read.used)) {
    read.is_new = false;
    return read;
  }
  return calibration;
}

void write(ctxmgr::KeyValueStore& store, const char* name_space, const std::string& key, const std::string& value) {
  static_cast<void>(store.write(name_space, {{key, value, kept_for, {}}}, {}));
}

}  // namespace

Threads::Threads(std::shared_ptr<ctxmgr::KeyValueStore> store)
    : secret_without_store_(random_digits()), store_(std::move(store)) {}

std::string Threads::secret() const {
  const std::lock_guard lock(mutex_);
  if (!secret_.empty()) return secret_;
  const std::string key = "owners";
  constexpr std::uint64_t absent = 0;
  // Another proxy may be first; then its own stands.
  static_cast<void>(store_->write(secrets_name_space, {{key, secret_without_store_, {}, absent}}, {}));
  const auto found = store_->read(secrets_name_space, {key}, {});
  if (!found || !found->front()) return secret_without_store_;
  secret_ = found->front()->value;
  return secret_;
}

ctxmgr::Result<void> Threads::check() const {
  const auto written = store_->write("ctxpack.checks", {{"written", "1", kept_for, {}}}, {});
  if (!written) return tl::unexpected(written.error());
  return {};
}

std::string Threads::readings(const std::string& thread) const {
  const auto found = store_->read(readings_of, {thread}, {});
  return found && found->front() ? found->front()->value : std::string();
}

void Threads::keep_readings(const std::string& thread, const std::string& kept) const {
  write(*store_, readings_of, thread, kept);
}

void Threads::prepare(const std::string& thread, ctxmgr::BuildRequest& request) const {
  request.scope = thread;
  const auto found = store_->read(states, {thread}, {});
  if (found && found->front()) request.thread_state.opaque = found->front()->value;
}

std::shared_ptr<ctxmgr::ContextStore> Threads::session(const std::string& thread) const {
  ctxmgr::ContextStoreOptions options;
  options.session_id = thread;
  options.store = store_;
  auto session = ctxmgr::ContextStore::open(std::move(options));
  return session ? std::move(*session) : nullptr;
}

void Threads::remember(const std::string& thread, const ctxmgr::ThreadState& state) const {
  if (!state.opaque.empty()) write(*store_, states, thread, state.opaque);
}

double Threads::calibration(const std::string& owner, const std::string& model) const {
  return read_calibration(*store_, calibration_key(owner, model)).used;
}

void Threads::learn(const std::string& owner, const std::string& model, std::int64_t counted_tokens,
                    std::int64_t real_tokens) const {
  if (model.empty() || is_cut(counted_tokens, real_tokens)) return;
  const auto key = calibration_key(owner, model);
  auto calibration = read_calibration(*store_, key);
  const bool is_telling = counted_tokens >= telling_tokens && real_tokens > counted_tokens;
  // The first that tells is believed at once: until then budgets are not what the service takes them for.
  calibration.learned =
      calibration.is_new && is_telling
          ? std::min(static_cast<double>(real_tokens) / static_cast<double>(counted_tokens), most_calibration)
          : ctxmgr::calibrated(calibration.learned, counted_tokens, real_tokens);
  if (calibration.is_new && counted_tokens < telling_tokens) return;
  if (std::abs(calibration.learned - calibration.used) >= calibration_step) calibration.used = calibration.learned;
  write(*store_, calibrations, key, std::to_string(calibration.learned) + " " + std::to_string(calibration.used));
}

void Threads::keep_receipt(const std::string& id, const std::string& json) const {
  write(*store_, receipts_namespace, id, json);
}

ctxmgr::Result<std::string> Threads::receipt(const std::string& id) const {
  const auto found = store_->read(receipts_namespace, {id}, {});
  if (!found) return tl::unexpected(found.error());
  if (!found->front()) return ctxmgr::fail(ctxmgr::ErrorCode::not_found, "there is no such receipt");
  return found->front()->value;
}

}  // namespace ctxpack::serve
