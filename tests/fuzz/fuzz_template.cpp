// Template source and data from the first line on: parsing and rendering either succeed or fail with a typed error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ctxmgr/prompts/prompt_template.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  ctxmgr::TemplateOptions options;
  options.strict_undefined = (bytes[0] & 1) != 0;
  options.dialect = (bytes[0] & 2) != 0 ? ctxmgr::TemplateDialect::chat : ctxmgr::TemplateDialect::jinja;
  options.max_steps = 20'000;
  options.max_memory_bytes = 4 << 20;
  options.max_output_bytes = 1 << 20;
  const std::string_view source(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const auto prompt = ctxmgr::PromptTemplate::parse(source, options);
  if (!prompt) return 0;
  constexpr std::string_view data =
      R"({"s": "Text é", "n": 3, "f": 2.5, "l": [1, "a", null, [2]], "d": {"k": {"z": 1}, "items": 2}, "b": true,
          "users": [{"name": "Ann", "age": 41}, {"name": "bob"}]})";
  const auto first = prompt->render_json(data);
  const auto second = prompt->render_json(data);
  if (first.has_value() != second.has_value() || (first && *first != *second)) std::abort();
  return 0;
}
