#include "ctxmgr/prompts/prompt_template.hpp"

#include <algorithm>

#include "core/utf8.hpp"
#include "prompts/jinja/ast.hpp"
#include "prompts/jinja/binder.hpp"
#include "prompts/jinja/data.hpp"
#include "prompts/jinja/decisions.hpp"
#include "prompts/jinja/failure.hpp"
#include "prompts/jinja/lexer.hpp"
#include "prompts/jinja/parser.hpp"
#include "prompts/jinja/renderer.hpp"

namespace ctxmgr {

struct PromptTemplate::Impl {
  TemplateOptions options{};
  jinja::RenderSettings settings{};
  jinja::Program program{};
};

namespace {

tl::unexpected<Error> to_error(const jinja::Failure& failure, std::string_view source, std::uint32_t known_offset) {
  if (failure.message.rfind("data: ", 0) == 0) return fail(failure.code, failure.message);
  const std::size_t offset =
      std::min<std::size_t>(failure.offset == jinja::no_position ? known_offset : failure.offset, source.size());
  const std::string_view before = source.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = utf8::count_code_points(before.substr(before.rfind('\n') + 1)) + 1;
  return fail(failure.code,
              "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + failure.message);
}

jinja::LexerOptions lexer_options(TemplateDialect dialect) {
  const bool chat = dialect == TemplateDialect::chat;
  return {chat, chat, !chat};
}

bool is_nonce(std::string_view nonce) {
  return std::all_of(nonce.begin(), nonce.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

void compile(jinja::Program& program, const TemplateOptions& options) {
  const bool chat = options.dialect == TemplateDialect::chat;
  jinja::Parser parser(program, jinja::tokenize(program.source, lexer_options(options.dialect)),
                       chat ? jinja::LoopControls::on : jinja::LoopControls::off, options.max_depth);
  parser.parse();
  jinja::bind_names(program);
}

/// Renders with data that `make_data` puts on the heap.
template <class MakeData>
Result<std::string> render_with(const jinja::Program& program, const jinja::RenderSettings& settings,
                                const TemplateOptions& options, const MakeData& make_data) {
  jinja::Heap heap(options.max_memory_bytes, options.max_steps);
  std::uint32_t offset = 0;
  try {
    const jinja::Value data = make_data(heap);
    jinja::Renderer renderer(program, settings, heap, data.dict());
    try {
      return renderer.run();
    } catch (const jinja::Failure&) {
      offset = renderer.offset();
      throw;
    }
  } catch (const jinja::Failure& failure) {
    return to_error(failure, program.source, offset);
  }
}

}  // namespace

Result<PromptTemplate> PromptTemplate::parse(std::string_view source, const TemplateOptions& options) {
  if (source.size() > options.max_source_bytes) return fail(ErrorCode::limit_exceeded, "the template is too long");
  if (!utf8::is_valid(source)) return fail(ErrorCode::invalid_argument, "the template is not valid UTF-8");
  if (!is_nonce(options.fence_nonce)) return fail(ErrorCode::invalid_argument, "fence_nonce has other characters");
  auto impl = std::make_shared<Impl>();
  impl->options = options;
  impl->settings = {options.strict_undefined, options.dialect == TemplateDialect::chat, options.fence_nonce,
                    options.max_output_bytes, options.max_depth};
  impl->program.source = jinja::normalize_newlines(source, lexer_options(options.dialect));
  try {
    compile(impl->program, options);
  } catch (const jinja::Failure& failure) {
    return to_error(failure, impl->program.source, 0);
  }
  return PromptTemplate(std::move(impl));
}

Result<std::string> PromptTemplate::render_json(std::string_view values_json) const {
  return render_with(impl_->program, impl_->settings, impl_->options,
                     [values_json](jinja::Heap& heap) { return jinja::read_data(heap, values_json); });
}

Result<std::string> PromptTemplate::render(const std::map<std::string, std::string>& values) const {
  for (const auto& [name, value] : values) {
    if (!utf8::is_valid(name) || !utf8::is_valid(value)) {
      return fail(ErrorCode::invalid_argument, "data: a value is not valid UTF-8");
    }
  }
  return render_with(impl_->program, impl_->settings, impl_->options, [&values](jinja::Heap& heap) {
    jinja::Value data = jinja::make_dict(heap);
    for (const auto& [name, value] : values) {
      data.dict().set(jinja::make_string(heap, name), jinja::make_string(heap, value));
    }
    return data;
  });
}

bool PromptTemplate::reads(std::string_view name) const {
  return impl_->program.looked_up.count(std::string(name)) != 0;
}

std::set<std::string> PromptTemplate::decides_by(const std::set<std::string>& names) const {
  jinja::Decisions decisions(names);
  decisions.visit(impl_->program.body);
  return decisions.found();
}

}  // namespace ctxmgr
