# To be sourced.

# A port of this machine on which nobody listens; somebody else may take it at any time.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((15000 + (RANDOM * 32768 + RANDOM) % 15000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return 0; }
  done
  return 1
}
