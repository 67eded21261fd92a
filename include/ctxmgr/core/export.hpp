#pragma once
/// \file
/// `CTXMGR_API` marks the names that the library exports; everything else has hidden visibility. A shared build for Windows
/// defines `CTXMGR_SHARED` for itself and, through its CMake targets, for whoever links it.
#if defined(_WIN32) && defined(CTXMGR_SHARED)
#if defined(CTXMGR_BUILDING)
#define CTXMGR_API __declspec(dllexport)
#else
#define CTXMGR_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define CTXMGR_API __attribute__((visibility("default")))
#else
#define CTXMGR_API
#endif

// Around a struct with a deprecated member: compilers name the member at each copy of the struct, though nobody uses it there.
#if defined(_MSC_VER)
#define CTXMGR_HAS_DEPRECATED_MEMBER_BEGIN __pragma(warning(push)) __pragma(warning(disable : 4996))
#define CTXMGR_HAS_DEPRECATED_MEMBER_END __pragma(warning(pop))
#elif defined(__GNUC__)
#define CTXMGR_HAS_DEPRECATED_MEMBER_BEGIN \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define CTXMGR_HAS_DEPRECATED_MEMBER_END _Pragma("GCC diagnostic pop")
#else
#define CTXMGR_HAS_DEPRECATED_MEMBER_BEGIN
#define CTXMGR_HAS_DEPRECATED_MEMBER_END
#endif
