# llama.cpp as others have built it, for the tests and examples of ctxmgr/adapters/llama.hpp: CTXMGR_LLAMA is a folder with
# include/ and lib/, which scripts/test-llama.sh makes. The header itself needs no target: a host has its own llama.
set(CTXMGR_LLAMA "" CACHE PATH "Folder with include/ and lib/ of llama.cpp, for tests and examples")
mark_as_advanced(CTXMGR_LLAMA)
if(CTXMGR_LLAMA)
  file(GLOB libraries ${CTXMGR_LLAMA}/lib/libllama.* ${CTXMGR_LLAMA}/lib/libggml.* ${CTXMGR_LLAMA}/lib/libggml-base.*)
  add_library(ctxmgr_llama INTERFACE)
  target_include_directories(ctxmgr_llama SYSTEM INTERFACE ${CTXMGR_LLAMA}/include)
  target_link_libraries(ctxmgr_llama INTERFACE ${libraries})
  target_link_options(ctxmgr_llama INTERFACE LINKER:-rpath,${CTXMGR_LLAMA}/lib LINKER:--allow-shlib-undefined)
endif()
