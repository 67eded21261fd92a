# Writes a file as a C++ array of 64-bit numbers, lowest byte first, and a zero behind them:
#
#     cmake -D INPUT=FILE -D OUTPUT=FILE.cpp -D NAME=ARRAY -D NAMESPACE=SPACE -P embed_words.cmake
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR rest "${digits} % 16")
if(NOT rest EQUAL 0)
  message(FATAL_ERROR "${INPUT}: the size is not a multiple of 8 bytes")
endif()
string(REGEX REPLACE "(..)(..)(..)(..)(..)(..)(..)(..)" "0x\\8\\7\\6\\5\\4\\3\\2\\1,\n" words "${hex}")
file(WRITE "${OUTPUT}"
  "#include <cstdint>\nnamespace ${NAMESPACE} {\nextern const std::uint64_t ${NAME}[];\nconst std::uint64_t ${NAME}[] = {\n${words}0};\n}\n")
