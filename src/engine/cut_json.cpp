#include <algorithm>

#include "engine/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return text.size();
}

std::size_t after_scalar(std::string_view text, std::size_t at) {
  if (text[at] == '"') return after_string(text, at);
  while (at < text.size() && !is_blank(text[at]) && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
         text[at] != '{' && text[at] != '[' && text[at] != ':')
    ++at;
  return at;
}

// One pass over the tokens, without building anything: a member whose value is a scalar is an atom; a key whose value
// is a container opens the atom of the first thing in it (so that it is never chosen without saying what it is of).
// Scalars of an array go together up to `longest_list`. Broken JSON gives atoms as well.
class JsonCutter {
 public:
  JsonCutter(std::string_view text, std::vector<Atom>& atoms) : text_(text), atoms_(atoms) {}

  void run() {
    while (at_ < text_.size()) step();
    close_list();
  }

 private:
  static constexpr std::size_t longest_list = 120;

  void step() {
    const char c = text_[at_];
    if (is_blank(c) || c == ',' || c == ':') {
      ++at_;
    } else if (c == '{' || c == '[') {
      close_list();
      if (c == '{') paragraph_start_ = true;
      ++at_;
    } else if (c == '}' || c == ']') {
      close_list();
      ++at_;
    } else {
      take_scalar();
    }
  }

  void take_scalar() {
    const std::size_t begin = at_;
    const std::size_t end = std::max(after_scalar(text_, begin), begin + 1);
    std::size_t next = end;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    at_ = end;
    if (next >= text_.size() || text_[next] != ':') {
      take_element(begin, end);
      return;
    }
    close_list();
    ++next;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    at_ = next;
    if (next < text_.size() && (text_[next] == '{' || text_[next] == '[')) {
      pending_ = begin;  // a key of a container
      has_pending_ = true;
      return;
    }
    at_ = next < text_.size() ? std::max(after_scalar(text_, next), next) : next;
    add(begin, at_);
  }

  void take_element(std::size_t begin, std::size_t end) {
    if (list_end_ != 0 && end - list_begin_ > longest_list) close_list();
    if (list_end_ == 0) list_begin_ = begin;
    list_end_ = end;
  }

  void close_list() {
    if (list_end_ != 0) add(list_begin_, list_end_);
    list_end_ = 0;
  }

  void add(std::size_t begin, std::size_t end) {
    if (has_pending_ && begin - pending_ <= longest_list)
      begin = pending_;
    else if (has_pending_)
      add_atom(text_, 0, pending_, after_string(text_, pending_), AtomKind::member, atoms_);
    has_pending_ = false;
    const std::size_t first = atoms_.size();
    // A string as long as a page is prose: it is cut between words, and the cut is marked like any other.
    const bool page = end - begin > 2 * longest_atom_bytes;
    add_atom(text_, 0, begin, end, page ? AtomKind::sentence : AtomKind::member, atoms_);
    if (atoms_.size() > first) atoms_[first].paragraph_start = paragraph_start_;
    paragraph_start_ = false;
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  std::size_t at_ = 0;
  std::size_t list_begin_ = 0;
  std::size_t list_end_ = 0;  ///< 0: no list is open.
  std::size_t pending_ = 0;
  bool has_pending_ = false;
  bool paragraph_start_ = true;
};

}  // namespace

void cut_json(std::string_view text, std::vector<Atom>& atoms) { JsonCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
