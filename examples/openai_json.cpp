// A host that holds its chat request as JSON text: three lines between its request and the one that fits.
#include <ctxmgr/ctxmgr.hpp>
#include <iostream>
#include <string>

int main() {
  const std::string body = R"({"model": "gpt-5.6", "temperature": 0.2, "messages": [
    {"role": "system", "content": "You book flights."},
    {"role": "user", "content": "Move my flight to Friday."},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "call_1", "type": "function", "function": {"name": "get_booking", "arguments": "{\"id\": 7}"}}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "{\"from\": \"CDG\", \"to\": \"JFK\"}"}]})";

  const ctxmgr::ContextManager manager;
  const auto fitted = ctxmgr::build_openai(manager, body);
  if (!fitted) {
    std::cerr << fitted.error().message << '\n';
    return 1;
  }
  std::cout << fitted->body << '\n' << fitted->metadata << '\n';
}
