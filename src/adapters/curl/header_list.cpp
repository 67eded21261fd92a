#include "adapters/curl/header_list.hpp"

#include <curl/curl.h>

#include <cstring>

#include "adapters/curl/secrets.hpp"

namespace ctxmgr::http {
HeaderList::~HeaderList() {
  for (const curl_slist* line = first_; line != nullptr; line = line->next) wipe(line->data, std::strlen(line->data));
  curl_slist_free_all(first_);
}

bool HeaderList::add(const std::string& name, const std::string& value) {
  // A semicolon is libcurl's way to send a header without a value.
  std::string line;
  line.reserve(name.size() + value.size() + 2);
  line += name;
  line += value.empty() ? ";" : ": ";
  line += value;
  const bool ok = append(line);
  wipe(line);
  return ok;
}

bool HeaderList::append(const std::string& line) {
  curl_slist* const longer = curl_slist_append(first_, line.c_str());
  if (longer != nullptr) first_ = longer;
  return longer != nullptr;
}

}  // namespace ctxmgr::http
