// Whatever a text is taken for: what is shown of it is a subsequence of it, its lines kept, or JSON that parses to the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.hpp"
#include "ctxmgr/engine/retriever.hpp"
#include "engine/structure/dense_view.hpp"
#include "engine/structure/json_syntax.hpp"
#include "engine/structure/text_structure.hpp"
#include "support/any_text.hpp"

namespace ctxmgr::engine {
namespace {

// One text of each kind, in pieces that may be left out, doubled or mixed with the pieces of others.
const std::vector<std::vector<std::string>>& kinds() {
  static const std::vector<std::vector<std::string>> pieces = {
      {"[ Scene : The pier , \"Blue Whale\" . Ann and Bo wait . ]\n", "Ann : Is it  late ?\n",
       "Bo : ( whispers ) Yes .\n", "[ They  leave . ]"},
      {"[main] INFO  server \"up\" on  8080\n", "[pool-1] WARN  retry { \"n\" : 1 }\n", "[main] INFO  done [exit 1]"},
      {"[{'id': 1, 'name': \"O'Hara\"}, ", "{'id': 2, 'ok': True,  'v': None}, ", "('a',  \"b\")]\n"},
      {"{ SELECT \"id\",  name\n", "  FROM  orders -- the  open ones\n", "  WHERE \"id\" = 'a  b'; }\n"},
      {"{ int x  = f(\"a  b\");\n", "  /* two  blanks */\n", "  return  x; }\n", "int y[] = { 1,  2 };\n"},
      {"{\n  // a comment\n", "  key: 'value',  \"list\": [1,  2,],\n", "  n: +1.0e5\n}\n"},
      {"{\"id\": 1.0, \"n\": 1e5}\n", "{ \"big\" : 123456789012345678901234567890 }\n",
       "{\"a\": 1,  \"a\": \"2  3\"}\n", "[ -0.00 , \"\\u00e4 \\\" \" ]\n"},
      {"name,note,n\n", "\"Smith,  Ann\",\"said \"\"no\"\"\",1\n", "Bo,\"two\nlines\",2\n", "Cy,,3\n"},
      {"# Title  one\n\n", "- item  with \"quotes\"\n- [ ] open\n", "| a | b |\n|---|---|\n| 1 |  2 |\n",
       "```json\n{ \"a\" :  1 }\n```\n"},
      {"<?xml version=\"1.0\"?>\n<a  b=\"c\">\n", "  <i>one  two</i>\n", "</a>\n"},
      {"diff --git a/x b/x\n--- a/x\n+++ b/x\n", "@@ -1,2 +1,2 @@\n-{ \"a\":  1 }\n+{ \"a\":  2 }\n",
       "@@ -9 +9 @@\n   \n kept\n"},
      {"{\n  \"a\" : [ 1 ,\n 2 ],\n", "  \"b\" : { \"c\" : \"x  y\" },\n", "  \"a\" : 1.50\n}\n"},
      {"tool  (1.2) stable\n\n", "  * Fix  it.\n    more\n\n", " -- Ann  <a@b>\n\n", "Head  line\n=====\n"},
      {"retrying  now\n", "retrying  now\n", "retrying  now\n", "done\n", "\n", "\n"},
      {"I look.\n", "[call find({ \"id\" : 1.0 ,  \"q\": \"a  b\" })]\n", "[call f(x,  y)]\n"},
  };
  return pieces;
}

rc::Gen<std::string> any_shown_text() {
  using Pieces = std::vector<std::string>;
  const auto join = [](const Pieces& pieces) {
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    return text;
  };
  const auto whole = rc::gen::map(rc::gen::elementOf(kinds()), join);
  const auto torn = rc::gen::map(
      rc::gen::mapcat(rc::gen::elementOf(kinds()),
                      [](const Pieces& pieces) { return rc::gen::container<Pieces>(rc::gen::elementOf(pieces)); }),
      join);
  return rc::gen::oneOf(whole, torn, rc::gen::map(rc::gen::container<Pieces>(torn), join), test::any_text());
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string squeezed(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), is_blank), text.end());
  return text;
}

// JSON of which nothing but blanks may have gone, and that reads the same to whoever keeps the last of doubled keys.
void expect_equal_json(std::string_view text, std::string_view shown) {
  RC_ASSERT(is_json(shown));
  RC_ASSERT(squeezed(std::string(text)) == squeezed(std::string(shown)));
  RC_ASSERT(nlohmann::ordered_json::parse(text) == nlohmann::ordered_json::parse(shown));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void expect_equal_calls(std::string_view text, std::string_view shown) {
  const auto before = lines_of(text);
  const auto after = lines_of(shown);
  RC_ASSERT(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string_view arguments = call_arguments(before[i]);
    if (is_json(arguments))
      expect_equal_json(arguments, call_arguments(after[i]));
    else
      RC_ASSERT(before[i] == after[i]);
  }
}

RC_GTEST_PROP(ShownTextPropertyTest, WhatIsWrittenShorterSaysTheSame, ()) {
  const std::string text = *any_shown_text();
  ContentFormat format = *test::any_format();
  if (format == ContentFormat::automatic) format = detect_format(text);
  const std::string shown = dense_view(text, format);
  const std::size_t calls = find_calls(text);
  const std::size_t shown_calls = find_calls(shown);
  expect_equal_calls(std::string_view(text).substr(calls), std::string_view(shown).substr(shown_calls));
  const std::string_view body = std::string_view(text).substr(0, calls);
  const std::string_view dense = std::string_view(shown).substr(0, shown_calls);
  if (format != ContentFormat::json) {
    RC_ASSERT(dense == body);
  } else if (is_json(body)) {
    expect_equal_json(body, dense);
  } else if (is_json_lines(body)) {
    std::vector<std::string_view> values = lines_of(body);
    values.erase(
        std::remove_if(values.begin(), values.end(), [](auto line) { return squeezed(std::string(line)).empty(); }),
        values.end());
    const auto after = lines_of(dense);
    RC_ASSERT(values.size() == after.size());
    for (std::size_t i = 0; i < values.size(); ++i) expect_equal_json(values[i], after[i]);
  } else {
    RC_ASSERT(dense == body);
  }
}

// Walks along the spans: what stands between two of them is a mark, on a line of its own where lines were left out.
void expect_subsequence(const std::string& text, const SelectedText& shown) {
  std::size_t at = 0;
  std::size_t source = 0;
  for (const TextSpan& span : shown.spans) {
    const std::string piece = text.substr(span.offset, span.length);
    const std::size_t found = shown.text.find(piece, at);
    RC_ASSERT(found != std::string::npos);
    RC_ASSERT(span.offset >= source);
    const std::string mark = shown.text.substr(at, found - at);
    RC_ASSERT(squeezed(mark) == "\u2026" || mark.empty());
    const bool breaks = text.substr(source, span.offset - source).find('\n') != std::string::npos;
    if (source > 0 && breaks) RC_ASSERT(mark.find('\n') != std::string::npos);
    at = found + piece.size();
    source = span.offset + span.length;
  }
  const std::string rest = squeezed(shown.text.substr(at));
  RC_ASSERT(rest.empty() || rest == "\u2026");
}

RC_GTEST_PROP(ShownTextPropertyTest, AnExtractIsASubsequenceWithItsLinesKept, ()) {
  Artifact artifact;
  artifact.artifact_id = "a";
  artifact.content = *any_shown_text();
  RC_PRE(artifact.content.find("\u2026") == std::string::npos);
  artifact.content_format = *test::any_format();
  const ContentFormat format =
      artifact.content_format == ContentFormat::automatic ? detect_format(artifact.content) : artifact.content_format;
  SelectionRequest request;
  request.query = *rc::gen::element<std::string>("", "late", "retry id", "a 2", "two lines");
  request.budget_tokens = *rc::gen::inRange(3, 80);
  const auto counter = make_approximate_token_counter();
  for (const SelectedText& shown : Retriever().select({artifact}, request, *counter).chosen) {
    if (shown.view == ArtifactView::extract) expect_subsequence(artifact.content, shown);
    if (shown.view == ArtifactView::full) RC_ASSERT(shown.text == artifact.content);
    if (shown.view == ArtifactView::dense) RC_ASSERT(shown.text == dense_view(artifact.content, format));
  }
}

}  // namespace
}  // namespace ctxmgr::engine
