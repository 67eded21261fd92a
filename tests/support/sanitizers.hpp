#pragma once

// CTXMGR_INSTRUMENTED: whether a sanitizer enlarges the frames of the stack. clang says so in its own way.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CTXMGR_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CTXMGR_INSTRUMENTED 1
#endif
#endif
#ifndef CTXMGR_INSTRUMENTED
#define CTXMGR_INSTRUMENTED 0
#endif
