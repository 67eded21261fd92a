foreach(program IN ITEMS consumer json_consumer)
  execute_process(COMMAND ./${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
