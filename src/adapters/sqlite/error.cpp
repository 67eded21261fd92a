#include "adapters/sqlite/error.hpp"

#include <sqlite3.h>

#include <string>

namespace ctxmgr::sqlite {
namespace {

ErrorCode code_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_CANTOPEN:  // its journal, say, for want of a descriptor
    case SQLITE_IOERR: return ErrorCode::unavailable;
    case SQLITE_FULL:
    case SQLITE_TOOBIG: return ErrorCode::limit_exceeded;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA: return ErrorCode::bad_data;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY: return ErrorCode::denied;
    default: return ErrorCode::internal;
  }
}

}  // namespace

Error error_from(int code, std::string_view doing) {
  return {code_of(code), "sqlite: " + std::string(doing) + ": " + sqlite3_errstr(code), {}};
}

bool is_write_failure(int code) {
  switch (code) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_CLOSE: return true;
    default: return false;
  }
}

}  // namespace ctxmgr::sqlite
