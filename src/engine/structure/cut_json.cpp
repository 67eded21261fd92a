#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/json/lexer.hpp"
#include "engine/structure/text_structure.hpp"

namespace ctxmgr::engine {
namespace {

struct Object {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< One past its brace; 0: it is not closed.
};

// All objects, by their beginnings.
std::vector<Object> objects_of(std::string_view text) {
  std::vector<Object> objects;
  std::vector<std::size_t> open;
  for (JsonToken token = next_json_token(text, 0); token; token = next_json_token(text, token.end)) {
    if (token.kind == '{') {
      open.push_back(objects.size());
      objects.push_back({token.begin, 0});
    } else if (token.kind == '}' && !open.empty()) {
      objects[open.back()].end = token.end;
      open.pop_back();
    }
  }
  return objects;
}

// Two passes over the tokens, without building anything: an object in an array is a record, and a short one is an atom, so
// that no member is chosen without saying what it is of. Of others a member whose value is a scalar or empty is an atom; a
// key whose value is a container opens the atom of the first thing in it (so that it is never chosen without saying what it
// is of). Scalars of an array go together up to `longest_list`. Broken JSON gives atoms as well.
class JsonCutter {
 public:
  JsonCutter(std::string_view text, std::vector<Atom>& atoms)
      : text_(text), atoms_(atoms), objects_(objects_of(text)) {}

  void run() {
    while (at_ < text_.size()) step();
    close_list();
    add_pending();
  }

 private:
  static constexpr std::size_t longest_list = 120;
  static constexpr std::size_t deepest_heading = 12;

  struct Container {
    bool is_array = false;
    bool heads = false;             ///< An object, but not the whole text.
    std::uint32_t first = no_atom;  ///< What is in it first.
  };

  void step() {
    const JsonToken token = next_json_token(text_, at_);
    at_ = token.begin;
    if (token.opens())
      open_container(token.kind);
    else if (token.closes())
      close_container();
    else if (token.is_scalar())
      take_scalar(token);
    else
      at_ = token.end;
  }

  void close_container() {
    close_list();
    ++at_;
    if (!open_.empty()) open_.pop_back();
    --depth_;
    // Nothing was in it: the key stands with its empty container.
    if (pending_end_ != 0 && depth_ <= pending_depth_) {
      pending_end_ = at_;
      add_pending();
    }
  }

  void open_container(char c) {
    close_list();
    const std::size_t end = c == '{' ? end_of_object() : 0;
    const bool element = end > 0 && (open_.empty() || open_.back().is_array);
    const bool all = next_object_ == 1 && end == text_.size();
    const bool empty = at_ + 2 >= end;
    // What is in a record is of it.
    if (c == '{' && at_ >= record_end_) paragraph_start_ = true;
    if (element && !all && !empty && end - at_ <= longest_list) {
      add(at_, end);
      at_ = end;
      return;
    }
    if (element && !all && end - at_ <= longest_record_bytes) record_end_ = std::max(record_end_, end);
    open_.push_back({c == '[', c == '{' && !all && open_.size() < deepest_heading});
    ++at_;
    ++depth_;
  }

  // Of the object that begins here; 0 where there is none that is closed.
  std::size_t end_of_object() {
    while (next_object_ < objects_.size() && objects_[next_object_].begin < at_) ++next_object_;
    const bool begins = next_object_ < objects_.size() && objects_[next_object_].begin == at_;
    return begins ? objects_[next_object_++].end : 0;
  }

  void take_scalar(const JsonToken& scalar) {
    at_ = scalar.end;
    const JsonToken colon = next_json_token(text_, at_);
    if (colon.kind != ':') {
      take_element(scalar.begin, scalar.end);
      return;
    }
    close_list();
    const JsonToken value = next_json_token(text_, colon.end);
    at_ = value.is_scalar() ? value.end : value.begin;
    if (value.opens())
      take_container_key(scalar.begin, scalar.end);
    else
      add(scalar.begin, at_);
  }

  // The keys of containers in containers go together with the first thing that is in them.
  void take_container_key(std::size_t begin, std::size_t end) {
    if (pending_end_ != 0 && begin - pending_ > longest_list) add_pending();
    if (pending_end_ == 0) pending_ = begin, pending_depth_ = depth_;
    pending_end_ = end;
  }

  void add_pending() {
    if (pending_end_ != 0) add_piece(pending_, std::exchange(pending_end_, 0));
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
    if (pending_end_ != 0 && begin - pending_ <= longest_list) {
      begin = pending_;
      pending_end_ = 0;
    }
    add_pending();
    add_piece(begin, end);
  }

  void add_piece(std::size_t begin, std::size_t end) {
    const std::size_t first = atoms_.size();
    // A string as long as a page is prose: it is cut between words, and the cut is marked like any other.
    const bool page = end - begin > 2 * longest_atom_bytes;
    add_atom(text_, 0, begin, end, page ? AtomKind::sentence : AtomKind::member, atoms_);
    if (atoms_.size() == first) return;
    atoms_[first].paragraph_start = paragraph_start_;
    paragraph_start_ = false;
    set_heading(first);
  }

  // What is in an object stands under its first member, which has the object's key or says which record it is.
  void set_heading(std::size_t first) {
    std::uint32_t heading = no_atom;
    for (std::size_t depth = 0; depth < std::min(open_.size(), deepest_heading); ++depth) {
      Container& container = open_[depth];
      if (!container.heads) continue;
      if (container.first != no_atom)
        heading = container.first;
      else
        container.first = static_cast<std::uint32_t>(first);
    }
    for (std::size_t a = first; a < atoms_.size(); ++a) atoms_[a].heading = heading;
  }

  std::string_view text_;
  std::vector<Atom>& atoms_;
  std::vector<Object> objects_;
  std::size_t next_object_ = 0;  ///< The first that begins after `at_`, once it was looked for.
  std::size_t record_end_ = 0;   ///< Of the last record that is not too long to be one thing.
  std::vector<Container> open_;  ///< The outermost first.
  std::size_t at_ = 0;
  std::size_t list_begin_ = 0;
  std::size_t list_end_ = 0;  ///< 0: no list is open.
  std::size_t pending_ = 0;
  std::size_t pending_end_ = 0;  ///< 0: no key waits for what is in its container.
  std::ptrdiff_t pending_depth_ = 0;
  std::ptrdiff_t depth_ = 0;
  bool paragraph_start_ = true;
};

}  // namespace

void cut_json(std::string_view text, std::vector<Atom>& atoms) { JsonCutter(text, atoms).run(); }

}  // namespace ctxmgr::engine
