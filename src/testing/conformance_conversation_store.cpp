#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "ctxmgr/testing/conformance.hpp"
#include "testing/promises.hpp"
#include "testing/sample_messages.hpp"

namespace ctxmgr::testing {
namespace {

using std::string_literals::operator""s;

/// A store under test and what it has broken so far.
class Trial {
 public:
  Trial(ConversationStore& under_test, std::vector<std::string>& broken) : store(under_test), broken_(broken) {}

  void expect(bool kept, std::string promise) {
    const std::scoped_lock lock(mutex_);
    if (!kept) broken_.push_back(std::move(promise));
  }

  Result<SequenceRange> append(std::string_view id, const std::vector<ConversationMessage>& messages,
                               const AppendOptions& options = {}) {
    return store.append(id, messages, options, {});
  }

  std::vector<ConversationMessage> load(std::string_view id, const MessageQuery& query = {}) {
    return store.load(id, query, {}).value_or(std::vector<ConversationMessage>{});
  }

  std::vector<std::int64_t> numbers(std::string_view id, const MessageQuery& query = {}) {
    std::vector<std::int64_t> found;
    for (const auto& message : load(id, query)) found.push_back(message.sequence_number.value_or(-1));
    return found;
  }

  std::vector<std::string> ids(std::string_view prefix, std::string_view after = "", std::size_t limit = 100) {
    std::vector<std::string> found;
    const auto page = store.list(prefix, after, limit, {});
    if (!page) return {page.error().message};
    for (const auto& info : *page) found.push_back(info.conversation_id);
    return found;
  }

  ConversationInfo info(std::string_view id) {
    return store.info(id, {}).value_or(std::nullopt).value_or(ConversationInfo{});
  }

  ConversationStore& store;

 private:
  std::vector<std::string>& broken_;
  std::mutex mutex_;
};

bool is_range(const Result<SequenceRange>& range, std::int64_t first, std::int64_t last) {
  return range && range->first == first && range->last == last;
}

ConversationMessage says(std::string text, std::string agent = "") {
  ConversationMessage message{Role::user, std::move(text)};
  message.agent = std::move(agent);
  return message;
}

void check_numbering(Trial& trial) {
  trial.expect(trial.load("c").empty(), "an unknown conversation is an empty one");
  trial.expect(!trial.store.info("c", {}).value_or(ConversationInfo{}), "info() knows nothing of a new conversation");
  trial.expect(is_range(trial.append("c", {says("a"), says("b")}), 1, 2), "the first batch is 1..n");
  trial.expect(is_range(trial.append("c", {says("c")}), 3, 3), "the next append goes on from there");
  trial.expect(is_range(trial.append("other", {says("x")}), 1, 1), "each conversation is numbered for itself");
  trial.expect(trial.numbers("c") == std::vector<std::int64_t>{1, 2, 3}, "load() gives rows in order");
  trial.expect(trial.info("c").last_sequence == 3 && trial.info("c").conversation_id == "c", "info() says how far");
  trial.expect(trial.info("c").estimated_tokens > trial.info("other").estimated_tokens, "info() estimates the size");
  trial.expect(failed_with(trial.append("c", {}), ErrorCode::invalid_argument), "nothing to append is refused");
  trial.expect(failed_with(trial.append("", {says("a")}), ErrorCode::invalid_argument), "an empty id is refused");
}

void check_fields(Trial& trial) {
  int number = 0;
  for (const std::string& text :
       {""s, "plain"s, unicode_text, all_bytes(), "base64:"s, "\0"s, std::string(70'000, 'x')}) {
    const std::string id = "fields" + std::to_string(number++);
    ConversationMessage simple = says(text);
    ConversationMessage absent;
    absent.content = {};
    std::vector<ConversationMessage> sent{everything_set(text), simple, absent};
    for (const Role role : {Role::system, Role::developer, Role::user, Role::assistant, Role::tool}) {
      sent.push_back({role, text});
      sent.back().retention = Retention::pinned;
    }
    trial.expect(trial.append(id, sent).has_value(), "any bytes are accepted: case " + id);
    const auto stored = trial.load(id);
    trial.expect(stored.size() == sent.size() && std::equal(sent.begin(), sent.end(), stored.begin(), same_message),
                 "every field comes back as it was: case " + id);
    trial.expect(!stored.empty() && stored.front().created_at == sent.front().created_at, "created_at is kept");
    trial.expect(stored.size() > 1 && stored[1].created_at, "created_at is given where it is not set");
  }
}

void check_sizes(Trial& trial) {
  const std::string large(max_message_bytes, 'z');
  const auto stored = trial.append("large", {says(large)});
  trial.expect(stored || stored.error().code == ErrorCode::limit_exceeded, "16 MiB are stored, or refused as too much");
  if (stored) trial.expect(same_message(trial.load("large").at(0), says(large)), "16 MiB come back as they were");
  trial.expect(failed_with(trial.append("large", {says(large + "z")}), ErrorCode::limit_exceeded), "more is refused");
  trial.expect(trial.append(std::string(max_conversation_id_bytes, '\xff'), {says("a")}).has_value(),
               "512 bytes of id");
  trial.expect(failed_with(trial.append(std::string(max_conversation_id_bytes + 1, 'i'), {says("a")}),
                           ErrorCode::limit_exceeded),
               "an id of 513 bytes is refused");
}

void check_paging(Trial& trial) {
  std::vector<ConversationMessage> rows;
  for (int i = 1; i <= 120; ++i) {
    rows.push_back(says("row " + std::to_string(i)));
    if (i % 50 == 0) rows.back().retention = Retention::pinned;
    if (i == 7) rows.back().role = Role::system;
    if (i == 8) rows.back().role = Role::developer;
    if (i == 110) rows.back().summary_of = SequenceRange{2, 5};
  }
  trial.expect(is_range(trial.append("p", rows), 1, 120), "a batch of 120 rows");
  MessageQuery query;
  query.limit = 3;
  trial.expect(trial.numbers("p", query) == std::vector<std::int64_t>{1, 2, 3}, "limit, oldest first");
  query.newest_first = true;
  trial.expect(trial.numbers("p", query) == std::vector<std::int64_t>{120, 119, 118}, "limit, newest first");
  query.last_sequence = 11;
  query.first_sequence = 10;
  trial.expect(trial.numbers("p", query) == std::vector<std::int64_t>{11, 10}, "both ends of a range are included");
  query.first_sequence = 12;
  trial.expect(trial.numbers("p", query).empty(), "a range that ends before it begins is empty");
  query = {};
  query.fixed_only = true;
  trial.expect(trial.numbers("p", query) == std::vector<std::int64_t>{7, 8, 50, 100, 110}, "the filter for fixed rows");
  query.newest_first = true;
  query.limit = 2;
  query.last_sequence = 100;
  trial.expect(trial.numbers("p", query) == std::vector<std::int64_t>{100, 50},
               "filter, order, limit and range together");
  query.limit = 0;
  trial.expect(trial.numbers("p", query).empty(), "no rows where none are asked for");
  query = {};
  query.first_sequence = -5;
  trial.expect(trial.numbers("p", query).size() == 120, "a range may begin before the first row");
}

void check_conditions(Trial& trial) {
  AppendOptions once;
  once.idempotency_key = unicode_text;
  trial.expect(is_range(trial.append("i", {says("a"), says("b")}, once), 1, 2), "an append with a key");
  trial.expect(is_range(trial.append("i", {says("c")}), 3, 3), "an append after it");
  trial.expect(is_range(trial.append("i", {says("a"), says("b")}, once), 1, 2), "a repeated append gives its range");
  trial.expect(trial.info("i").last_sequence == 3, "a repeated append adds nothing");
  trial.expect(is_range(trial.append("i2", {says("a")}, once), 1, 1),
               "keys of one conversation mean nothing in another");
  AppendOptions expecting;
  expecting.expected_last_sequence = 2;
  trial.expect(failed_with(trial.append("i", {says("d")}, expecting), ErrorCode::conflict), "a stale append conflicts");
  expecting.expected_last_sequence = 3;
  trial.expect(is_range(trial.append("i", {says("d")}, expecting), 4, 4), "a fresh one does not");
  expecting.expected_last_sequence = 1;
  trial.expect(failed_with(trial.append("i3", {says("d")}, expecting), ErrorCode::conflict), "nor is nothing at 1");
  trial.expect(trial.ids("i3").empty(), "a refused append creates nothing");
  once.expected_last_sequence = 0;
  trial.expect(is_range(trial.append("i", {says("a"), says("b")}, once), 1, 2), "the key is looked up first");
}

void check_listing(Trial& trial) {
  const std::vector<std::string> ids{"\0a"s, "A", "a", "a%", "a'b", "a*", "ab", "a\xff", "b"};
  for (const auto& id : ids) trial.expect(trial.append(id, {says(id)}).has_value(), "any id is accepted");
  trial.expect(trial.ids("") == ids, "conversations are listed in byte order");
  trial.expect(trial.ids("a") == std::vector<std::string>(ids.begin() + 2, ids.end() - 1), "a prefix is no pattern");
  trial.expect(trial.ids("a%") == std::vector<std::string>{"a%"}, "a per cent sign is itself");
  trial.expect(trial.ids("", "a", 2) == std::vector<std::string>{"a%", "a'b"}, "a page begins after an id");
  trial.expect(trial.ids("a", "ab") == std::vector<std::string>{"a\xff"}, "with a prefix, too");
  for (const auto& id : ids) {
    const auto rows = trial.load(id);
    trial.expect(rows.size() == 1 && text_of(rows[0]) == id, "no id reaches another conversation's rows");
  }
}

void check_status(Trial& trial) {
  trial.expect(failed_with(trial.store.set_status("s", ConversationStatus::archived, {}), ErrorCode::not_found),
               "an unknown conversation cannot be archived");
  AppendOptions once;
  once.idempotency_key = "k";
  trial.expect(trial.append("s", {says("a")}, once).has_value(), "an append before archiving");
  trial.expect(trial.store.set_status("s", ConversationStatus::archived, {}).has_value(), "archive");
  trial.expect(trial.info("s").status == ConversationStatus::archived, "the status is shown");
  trial.expect(failed_with(trial.append("s", {says("b")}), ErrorCode::denied),
               "nothing is appended to an archived one");
  trial.expect(failed_with(trial.store.record_step("s", {}, {}), ErrorCode::denied), "nor recorded");
  trial.expect(is_range(trial.append("s", {says("a")}, once), 1, 1), "a repeated append is still answered");
  trial.expect(trial.load("s").size() == 1, "it can be read");
  trial.expect(trial.store.set_status("s", ConversationStatus::active, {}).has_value(), "restore");
  trial.expect(is_range(trial.append("s", {says("b")}), 2, 2), "and goes on");
}

bool same_step(const SentContext& a, const SentContext& b) {
  const auto same_sent = [](const SentMessage& x, const SentMessage& y) {
    return x.sequence_number == y.sequence_number && x.message_json == y.message_json;
  };
  return a.agent == b.agent && a.created_at == b.created_at && a.last_sequence == b.last_sequence &&
         a.thread_state == b.thread_state && a.receipt_json == b.receipt_json &&
         std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(), b.messages.end(), same_sent);
}

void check_steps(Trial& trial) {
  trial.expect(trial.append("t", {says("a"), says("b"), says("c"), says("d")}).has_value(), "rows to refer to");
  SentContext sent;
  sent.agent = unicode_text;
  sent.created_at = at_ms(1'700'000'000'001);
  sent.last_sequence = 4;
  sent.thread_state = all_bytes();
  sent.receipt_json = std::string("{}") + unicode_text;
  sent.messages = {{0, "{\"role\":\"system\"}"},
                   {1, ""},
                   {2, ""},
                   {4, ""},
                   {3, ""},
                   {3, ""},
                   {0, all_bytes()},
                   {0, "{\"role\":\"system\"}"},
                   {0, unicode_text},
                   {0, ""},
                   {0, std::string(100'000, 'q')}};
  trial.expect(trial.store.record_step("t", sent, {}) == std::int64_t{1}, "the first step is 1");
  trial.expect(trial.store.record_step("t", SentContext{}, {}) == std::int64_t{2}, "the next is 2");
  trial.expect(trial.info("t").last_step == 2 && trial.info("t").last_sequence == 4, "info() counts steps and rows");
  const auto loaded = trial.store.load_step("t", 1, {});
  trial.expect(loaded && loaded->step_number == 1 && same_step(*loaded, sent), "a step comes back byte for byte");
  const auto empty = trial.store.load_step("t", 2, {});
  trial.expect(empty && empty->messages.empty() && empty->created_at, "an empty one, too, with a time given");
  for (const std::int64_t absent : {-1, 0, 3}) {
    trial.expect(failed_with(trial.store.load_step("t", absent, {}), ErrorCode::not_found),
                 "other steps are not found");
  }
  trial.expect(failed_with(trial.store.load_step("none", 1, {}), ErrorCode::not_found), "nor another conversation's");
  sent.messages = {{5, ""}};
  trial.expect(failed_with(trial.store.record_step("t", sent, {}), ErrorCode::invalid_argument),
               "rows have to be there");
  trial.expect(trial.info("t").last_step == 2, "a refused step takes no number");
  trial.expect(trial.store.record_step("fresh", SentContext{}, {}) == std::int64_t{1}, "a step before any row");
}

void check_erase(Trial& trial) {
  SentContext sent;
  sent.messages = {{1, ""}, {0, "shared text"}};
  AppendOptions once;
  once.idempotency_key = "k";
  for (const auto* id : {"e", "e2"}) {
    trial.expect(trial.append(id, {says(id)}, once) && trial.store.record_step(id, sent, {}), "something to erase");
  }
  trial.expect(trial.store.erase("e", {}).has_value() && trial.store.erase("e", {}).has_value(), "erase, twice");
  trial.expect(trial.load("e").empty() && !trial.store.info("e", {}).value_or(ConversationInfo{}), "nothing is left");
  trial.expect(failed_with(trial.store.load_step("e", 1, {}), ErrorCode::not_found), "nor any step");
  const auto other = trial.store.load_step("e2", 1, {});
  trial.expect(other &&
                   same_step(*other,
                             [&] {
                               auto s = sent;
                               s.created_at = other->created_at;
                               return s;
                             }()) &&
                   trial.load("e2").size() == 1,
               "the neighbour is untouched, shared texts included");
  trial.expect(is_range(trial.append("e", {says("again")}, once), 1, 1), "an erased id begins anew, keys forgotten");
}

void check_cancellation(Trial& trial) {
  CallOptions cancelled;
  cancelled.cancellation = CancellationToken([] { return true; });
  CallOptions late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  trial.expect(failed_with(trial.store.append("x", {says("a")}, {}, cancelled), ErrorCode::cancelled), "cancelled");
  trial.expect(failed_with(trial.store.load("x", {}, late), ErrorCode::deadline_exceeded), "late");
  trial.expect(trial.ids("x").empty(), "a cancelled append leaves nothing");
}

constexpr int threads = 8;
constexpr int batches = 15;

/// Rows of a batch are next to each other, each thread's batches in its order, and no number is missing.
void check_interleaving(Trial& trial, std::string_view id) {
  const auto rows = trial.load(id);
  std::vector<int> next(threads, 0);
  bool gapless = true;
  bool ordered = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    gapless = gapless && rows[i].sequence_number == static_cast<std::int64_t>(i) + 1;
    if (i % 2 != 0) continue;
    const int thread = std::stoi(rows[i].agent);
    const std::string expected = std::to_string(next[static_cast<std::size_t>(thread)]++);
    ordered = ordered && i + 1 < rows.size() && rows[i + 1].agent == rows[i].agent && text_of(rows[i]) == expected &&
              text_of(rows[i + 1]) == expected;
  }
  trial.expect(rows.size() == 2 * threads * batches, "no append from several threads is lost or doubled");
  trial.expect(gapless, "sequence numbers are gapless under concurrency");
  trial.expect(ordered, "batches stay together, and each thread's in order");
}

void check_conversation_threads(Trial& trial) {
  std::atomic<bool> reading{true};
  std::atomic<bool> consistent{true};
  std::thread reader([&] {
    while (reading) {
      const auto rows = trial.load("threads");
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].sequence_number != static_cast<std::int64_t>(i) + 1) consistent = false;
      }
      if (rows.size() % 2 != 0) consistent = false;
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&trial, t] {
      for (int i = 0; i < batches; ++i) {
        const auto row = says(std::to_string(i), std::to_string(t));
        AppendOptions options;
        options.idempotency_key = std::to_string(t) + "/" + std::to_string(i);
        const auto first = trial.append("threads", {row, row}, options);
        const auto again = i % 5 == 0 ? trial.append("threads", {row, row}, options) : first;
        trial.expect(first && again && first->first == again->first, "appends from several threads succeed");
      }
    });
  }
  for (auto& writer : writers) writer.join();
  reading = false;
  reader.join();
  trial.expect(consistent, "a reader never sees a hole or half a batch");
  check_interleaving(trial, "threads");
}

void check_racing_retries(Trial& trial) {
  std::set<std::int64_t> firsts;
  std::mutex mutex;
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&] {
      AppendOptions once;
      once.idempotency_key = "the same";
      const auto range = trial.append("race", {says("a")}, once);
      const auto step = trial.store.record_step("race", {}, {});
      const std::scoped_lock lock(mutex);
      firsts.insert(range ? range->first : -1);
      firsts.insert(step ? 1 : -1);
    });
  }
  for (auto& writer : writers) writer.join();
  trial.expect(firsts == std::set<std::int64_t>{1}, "the same append from several threads is one");
  trial.expect(trial.info("race").last_sequence == 1 && trial.info("race").last_step == threads,
               "one row, and every step");
}

}  // namespace

std::vector<std::string> check_conversation_store(const std::function<std::unique_ptr<ConversationStore>()>& make) {
  std::vector<std::string> broken;
  for (const auto check :
       {check_numbering, check_fields, check_sizes, check_paging, check_conditions, check_listing, check_status,
        check_steps, check_erase, check_cancellation, check_conversation_threads, check_racing_retries}) {
    const auto store = make();
    if (!store) return {"no store was made"};
    Trial trial(*store, broken);
    check(trial);
  }
  return broken;
}

}  // namespace ctxmgr::testing
