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
