foreach(program IN ITEMS hosts_17 hosts_20)
  execute_process(COMMAND ./${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
