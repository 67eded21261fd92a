// Growth on hostile text: processor time for a text, for one twice and for one eight times as long, of everything that
// looks at texts. A line for each case: what took longest, and what grew most by a doubling, in the mean of three and in
// the first of them; at most 2.3 in the mean is linear enough. One doubling alone says less: the step out of a cache costs
// up to 3. Ratios of short times say nothing.
//
//   growth_bench [BYTES [CASE]]     default: 250000 bytes and up to 2000000; CASE: only those whose name has it

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ctxmgr/adapters/bpe_encoding.hpp"
#include "ctxmgr/engine/context_manager.hpp"
#include "ctxmgr/engine/retriever.hpp"

namespace {

using namespace ctxmgr;

constexpr double too_short_ms = 20;
constexpr double most_growth = 2.3;
constexpr int most_rounds = 9;  // The least time of each counts; what looks too slow is measured again.

// Of a text, of one twice and of one eight times as long.
struct Times {
  double one = 1e9;
  double two = 1e9;
  double eight = 1e9;

  [[nodiscard]] bool is_short() const { return eight < too_short_ms; }
  [[nodiscard]] double growth() const { return std::cbrt(eight / one); }
};

template <class Run>
double milliseconds(Run run) {
  const std::clock_t start = std::clock();
  run();
  return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  text.resize(bytes);
  return text;
}

// `piece(i)` for every i until the text is long enough.
std::string numbered(std::size_t bytes, const std::function<std::string(std::size_t)>& piece) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += piece(i);
  return text;
}

std::string words(std::size_t i, std::size_t count) {
  std::string text;
  for (std::size_t w = 0; w < count; ++w) text += "word" + std::to_string((i * 7 + w * w) % 1009) + " ";
  return text;
}

struct TextCase {
  const char* name;
  ContentFormat format;
  std::function<std::string(std::size_t bytes)> make;
};

std::vector<TextCase> text_cases() {
  using F = ContentFormat;
  const auto repeat = [](const char* piece) { return [piece](std::size_t bytes) { return repeated(piece, bytes); }; };
  const auto number = [](std::function<std::string(std::size_t)> piece) {
    return [piece](std::size_t bytes) { return numbered(bytes, piece); };
  };
  return {
      {"closing braces", F::code, repeat("}\n\n")},
      {"comments", F::code, repeat("// a comment\n")},
      {"declarations", F::code,
       number([](auto i) { return "int f" + std::to_string(i) + "() {\n  return 1;\n}\n\n"; })},
      {"headings", F::markdown, number([](auto i) { return "# " + words(i, 60) + "\n" + words(i, 5) + "\n"; })},
      {"deep headings", F::markdown,
       number([](auto i) { return std::string(1 + i % 6, '#') + " " + words(i, 60) + "\n" + words(i, 5) + "\n"; })},
      {"one long heading", F::markdown,
       [](std::size_t bytes) {
         return "# " + words(1, bytes / 16) + "\n" + numbered(bytes / 2, [](auto i) { return words(i, 9) + "\n\n"; });
       }},
      {"fences", F::markdown, number([](auto i) { return "```\n" + words(i, 2) + "\n```\n"; })},
      {"open fence", F::markdown, number([](auto i) { return (i == 0 ? "```\n" : "") + words(i, 2) + "\n"; })},
      {"fence marks", F::markdown, repeat("```\n~~~\n")},
      {"wrapped lines", F::markdown, number([](auto i) { return words(i, 8) + "\n"; })},
      {"one-line hunks", F::diff,
       number([](auto i) { return "@@ -" + std::to_string(i) + " +1 @@\n-" + words(i, 2) + "\n"; })},
      {"one-line files", F::diff, number([](auto i) {
         return "diff --git a/" + std::to_string(i) + " b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+" + words(i, 2) + "\n";
       })},
      {"rows", F::table, number([](auto i) { return std::to_string(i) + "," + words(i, 3) + ",end\n"; })},
      {"tables", F::markdown,
       number([](auto i) { return "| a | b |\n|---|---|\n| " + std::to_string(i) + " | " + words(i, 2) + "|\n\n"; })},
      {"open brackets", F::automatic, repeat("[")},
      {"brackets", F::automatic, repeat("[]{}")},
      {"bracket soup", F::json, repeat("[{]}[[}{\"a\":")},
      {"nested keys", F::json, repeat("{\"a\":[")},
      {"empty objects", F::json, [](std::size_t bytes) { return "[" + repeated("{},", bytes) + "{}]"; }},
      {"records", F::json,
       [](std::size_t bytes) {
         return "[" +
                numbered(bytes, [](auto i) { return "{\"id\": " + std::to_string(i) + ", \"name\": \"n\"},\n"; }) +
                "{}]";
       }},
      {"many keys", F::json,
       [](std::size_t bytes) {
         return "[" + numbered(bytes, [](auto i) { return "{\"k" + std::to_string(i) + "\": \"v\", \"x\": 1},\n"; }) +
                "{}]";
       }},
      {"quotes", F::automatic, repeat("\"")},
      {"backslashes", F::automatic, repeat("\\")},
      {"one word", F::automatic, repeat("a")},
      {"one line of words", F::automatic, number([](auto i) { return words(i, 5); })},
      {"one line of log", F::log, number([](auto i) { return words(i, 5); })},
      {"one line of code", F::code, repeat("f(x); ")},
      {"full stops", F::text, repeat(". ")},
      {"ideographs", F::text, repeat("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E")},
      {"sentences", F::text, number([](auto i) { return words(i, 9) + ". "; })},
      {"equal lines", F::log, repeat("retrying now\n")},
      {"errors", F::log, number([](auto i) { return "ERROR " + words(i, 4) + "failed\n"; })},
      {"log", F::log, number([](auto i) { return "12:00:" + std::to_string(i) + " INFO " + words(i, 4) + "\n"; })},
      {"blank lines", F::automatic, repeat("\n")},
      {"blanks", F::automatic, number([](auto i) { return std::string(i * 37 % 400, ' ') + "x\n"; })},
      {"lines of blanks", F::automatic, number([](auto i) { return std::string(i * 37 % 400, ' ') + "\n"; })},
      {"lines of tabs", F::automatic, number([](auto i) { return std::string(i * 37 % 400, '\t') + "\r\n"; })},
      {"mixed blanks", F::automatic,
       number([](auto i) { return std::string(1 + i * i % 31, " \t\n\r"[i * 2'654'435'761U % 1'009 % 4]); })},
      {"wide blanks", F::automatic,
       number([](auto i) { return repeated("\xE3\x80\x80\xC2\xA0 ", i * 37 % 400) + "\n"; })},
      {"tabs", F::automatic, number([](auto i) { return std::string(i * 37 % 400, '\t') + "x\n"; })},
      {"calls", F::automatic, repeat("[call f({\"a\": 1})]\n")},
      {"dialogue", F::automatic, number([](auto i) { return "[ Scene : " + words(i, 5) + "]\n"; })},
  };
}

Artifact artifact_of(std::string text, ContentFormat format) {
  Artifact artifact;
  artifact.artifact_id = "a";
  artifact.content = std::move(text);
  artifact.content_format = format;
  return artifact;
}

struct Operation {
  const char* name;
  std::function<void(const Artifact&)> run;
};

const BpeEncoding& encoding() {
  static const auto loaded = *BpeEncoding::load("o200k_base");
  return loaded;
}

const TokenCounter& exact_counter() {
  static const auto counter = make_bpe_token_counter(encoding());
  return *counter;
}

std::vector<Operation> operations(const TokenCounter& counter) {
  const auto select = [&counter](const Artifact& artifact, std::string query, std::int64_t budget) {
    SelectionRequest request;
    request.query = std::move(query);
    request.budget_tokens = budget;
    (void)Retriever(0).select({artifact}, request, counter);
  };
  return {
      {"count", [&](const Artifact& a) { (void)counter.count(a.content); }},
      {"count exactly", [](const Artifact& a) { (void)exact_counter().count(a.content); }},
      {"count up to",
       [](const Artifact& a) {
         (void)exact_counter().count_up_to(a.content, static_cast<std::int64_t>(a.content.size()));
       }},
      {"encode", [](const Artifact& a) { (void)encoding().encode(a.content); }},
      {"select", [=](const Artifact& a) { select(a, "word7 word9 a failed", 4'000); }},
      {"select much",
       [=](const Artifact& a) { select(a, "word7 word9 a failed", std::int64_t(a.content.size() / 8)); }},
      {"select unasked", [=](const Artifact& a) { select(a, "", std::int64_t(a.content.size() / 8)); }},
      {"asked with",
       [=](const Artifact& a) { select(artifact_of("word7 and more", ContentFormat::text), a.content, 99); }},
      {"summarize",
       [&](const Artifact& a) {
         (void)Retriever(0).summarize(a, "word7", std::int64_t(a.content.size() / 8), counter);
       }},
      {"digest", [](const Artifact& a) { (void)digest(a); }},
      {"mask",
       [](Artifact a) {
         a.artifact_type = ArtifactType::tool_result;
         (void)mask(a, 1, "");
       }},
  };
}

struct Measured {
  const char* operation;
  Times times;

  [[nodiscard]] double growth() const { return times.is_short() ? 0 : times.growth(); }
};

// One line: the slowest of what was measured, and what grew most. Whether that grows as the text does.
bool report(const std::string& name, const std::vector<Measured>& measured) {
  const auto slowest = std::max_element(measured.begin(), measured.end(), [](const Measured& a, const Measured& b) {
    return a.times.eight < b.times.eight;
  });
  const auto worst = std::max_element(measured.begin(), measured.end(),
                                      [](const Measured& a, const Measured& b) { return a.growth() < b.growth(); });
  std::printf("%-20s %-16s %8.1f ms %8.1f ms %8.1f ms   ", name.c_str(), slowest->operation, slowest->times.one,
              slowest->times.two, slowest->times.eight);
  if (worst->growth() == 0)
    std::printf("-\n");
  else
    std::printf("%.2f (first %.2f) %s%s\n", worst->growth(), worst->times.two / worst->times.one, worst->operation,
                worst->growth() > most_growth ? "  TOO MUCH" : "");
  std::fflush(stdout);
  return worst->growth() <= most_growth;
}

using Work = std::function<void()>;

Times measure(const Work& one, const Work& two, const Work& eight) {
  Times times;
  for (int round = 0; round < most_rounds; ++round) {
    times.one = std::min(times.one, milliseconds(one));
    times.two = std::min(times.two, milliseconds(two));
    times.eight = std::min(times.eight, milliseconds(eight));
    const bool is_linear = times.is_short() || times.growth() <= most_growth;
    if (is_linear && (round >= 2 || times.eight > 2'000)) break;
  }
  return times;
}

bool run_text_case(const TextCase& text_case, std::size_t bytes, const TokenCounter& counter) {
  const Artifact one = artifact_of(text_case.make(bytes), text_case.format);
  const Artifact two = artifact_of(text_case.make(2 * bytes), text_case.format);
  const Artifact eight = artifact_of(text_case.make(8 * bytes), text_case.format);
  std::vector<Measured> measured;
  for (const Operation& operation : operations(counter))
    measured.push_back({operation.name, measure([&] { operation.run(one); }, [&] { operation.run(two); },
                                                [&] { operation.run(eight); })});
  return report(text_case.name, measured);
}

ConversationMessage call_of(std::size_t first, std::size_t calls) {
  ConversationMessage message{Role::assistant};
  for (std::size_t i = first; i < first + calls; ++i)
    message.tool_calls.push_back({"c" + std::to_string(i), "read", "{\"path\": \"" + std::to_string(i) + ".txt\"}"});
  return message;
}

ConversationMessage result_of(std::size_t i) {
  ConversationMessage message{Role::tool, "The file says " + words(i, 5)};
  message.tool_call_id = "c" + std::to_string(i);
  return message;
}

Context parallel_calls(std::size_t calls) {
  Context context;
  context.conversation_history.push_back({Role::user, "Read them all."});
  context.conversation_history.push_back(call_of(0, calls));
  for (std::size_t i = 0; i < calls; ++i) context.conversation_history.push_back(result_of(i));
  return context;
}

Context steps(std::size_t calls) {
  Context context;
  context.conversation_history.push_back({Role::user, "Read one by one."});
  for (std::size_t i = 0; i < calls; ++i) {
    context.conversation_history.push_back(call_of(i, 1));
    context.conversation_history.push_back(result_of(i));
  }
  return context;
}

// Turns of `bytes` before a question: they are its hints.
Context long_turns(std::size_t bytes) {
  Context context;
  for (std::size_t i = 0; i < 6; ++i)
    context.conversation_history.push_back(
        {i % 2 == 0 ? Role::user : Role::assistant, numbered(bytes / 6, [](auto k) { return words(k, 9) + ". "; })});
  context.conversation_history.push_back({Role::user, "What does word7 say?"});
  return context;
}

Context turns(std::size_t count) {
  Context context;
  for (std::size_t i = 0; i < count; ++i)
    context.conversation_history.push_back({i % 2 == 0 ? Role::user : Role::assistant, words(i, 9)});
  return context;
}

// About so many; the user said the last one.
Context turns_that_ask(std::size_t count) { return turns(count | 1U); }

// The assistant did, so that nothing is asked.
Context turns_that_end(std::size_t count) { return turns((count + 1) & ~std::size_t{1}); }

bool run_build_case(const char* name, const std::function<Context(std::size_t)>& make, std::size_t size) {
  BuildRequest request;
  request.budget.max_input_tokens = 8'000;
  request.history.oversized = Oversized::shrink;
  const auto build = [&request](const Context& context) {
    const auto built = ContextManager().build(context, request);
    if (!built) std::printf("%s\n", built.error().message.c_str());
  };
  const Context one = make(size);
  const Context two = make(2 * size);
  const Context eight = make(8 * size);
  return report(name, {{"build", measure([&] { build(one); }, [&] { build(two); }, [&] { build(eight); })}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 250'000;
  const std::string only = argc > 2 ? argv[2] : "";
  // What is freed stays with the process: else the kernel's time for fresh pages is measured, too.
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  const auto counter = make_approximate_token_counter();
  bool linear = true;
  for (const TextCase& text_case : text_cases())
    if (std::string(text_case.name).find(only) != std::string::npos)
      linear = run_text_case(text_case, bytes, *counter) && linear;
  const auto build = [&](const char* name, const auto& make, std::size_t size) {
    if (std::string(name).find(only) != std::string::npos) linear = run_build_case(name, make, size) && linear;
  };
  build("parallel calls", parallel_calls, bytes / 30);
  build("steps", steps, bytes / 60);
  build("hints", long_turns, bytes);
  build("turns", turns_that_ask, bytes / 30);
  build("turns, answered", turns_that_end, bytes / 30);
  return linear ? 0 : 1;
}
