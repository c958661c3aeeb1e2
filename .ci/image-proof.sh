#!/usr/bin/env bash
# Proves a container image from its file tree and its configuration, which is all that an engine has of it.
# Usage: image-proof.sh TREE CONFIG COMMIT
#   TREE    the image's files        CONFIG  its configuration, the JSON of Docker's format
#   COMMIT  what it was built from
# Runs as root in network, mount and process namespaces of its own: image.sh makes them.
set -uo pipefail
tree=$1 config=$2 commit=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A network that is this host alone; the second address stands for a container's, which is not loopback.
ip link set lo up && ip addr add 192.0.2.1/32 dev lo || exit 1

of() { jq -r "$1" "$config"; }
user=$(of .User)
stop=$(of .StopSignal)
port=$(of '.ExposedPorts | keys[0] | rtrimstr("/tcp")')
mapfile -t environment < <(of '.Env[]?')
mapfile -t entrypoint < <(of '.Entrypoint[]')
mapfile -t health < <(of '.Healthcheck.Test[1:][]')
url=http://127.0.0.1:$port

passed=0 failed=0
is() {
  if [ "$2" = "$3" ]; then passed=$((passed + 1)); echo "ok    $1"
  else failed=$((failed + 1)); printf 'FAIL  %s\n      is     %s\n      wanted %s\n' "$1" "$2" "$3"; fi
}

# The absolute paths of what runs under an environment without PATH.
chroot=$(command -v chroot) unshare=$(command -v unshare) timeout=$(command -v timeout)
root=$tree
around=()

# launch [VARIABLE=value…] -- COMMAND…: becomes this command of the image, as an engine would start it.
launch() {
  local set=()
  while [ "$1" != -- ]; do set+=("$1"); shift; done
  shift
  exec env -i "${environment[@]}" "${set[@]}" "${around[@]}" "$chroot" --userspec="$user" --groups= "$root" "$@"
}
# serve [VARIABLE=value…] -- [FLAG…]: the service, in the background until `halt`; its log is $work/log.
serve() {
  local set=()
  while [ "$1" != -- ]; do set+=("$1"); shift; done
  shift
  (launch "${set[@]}" -- "${entrypoint[@]}" "$@") >"$work/log" 2>&1 &
  pid=$!
  for _ in $(seq 100); do
    grep -q '"listening"' "$work/log" && return
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "      not listening; its log:"
  cat "$work/log"
}
# halt [PID]: the image's stop signal to this process (the service itself, unless something is around it), and the exit
# code. An engine would kill it after 10 s.
halt() {
  kill -s "${stop#SIG}" "${1:-$pid}"
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -s KILL "${1:-$pid}" 2>/dev/null
  wait "$pid"
  code=$?
}
# once [VARIABLE=value…] -- COMMAND…: a command of the image that ends by itself; its output and its exit code.
once() {
  output=$(around=("$timeout" 20); launch "$@" 2>&1)
  code=$?
}
# refused NAME CODE WORDS [VARIABLE=value…] -- [FLAG…]: does not start, and says why in one line that has these words.
refused() {
  local name=$1 wanted=$2 words=$3 set=()
  shift 3
  while [ "$1" != -- ]; do set+=("$1"); shift; done
  shift
  once "${set[@]}" -- "${entrypoint[@]}" "$@"
  is "$name: exit code" "$code" "$wanted"
  if [ "$(wc -l <<<"$output")" = 1 ] && grep -qF -- "$words" <<<"$output"; then is "$name: one clear line" . .
  else is "$name: one clear line" "$output" "one line with: $words"; fi
}
status() { curl -s -o /dev/null -w '%{http_code}' --max-time 10 "$@"; }
listens_on() { awk '$4 == "0A" { print $2 }' /proc/net/tcp | sort | paste -sd ' '; }
kernel_address() { printf '%s:%04X' "$1" "$2"; }
healthy() { once "$@" -- "${health[@]}"; }

board='["53..7....","6..195...",".98....6.","8...6...3","4..8.3..1","7...2...6",".6....28.","...419..5","....8..79"]'
solution='["534678912","672195348","198342567","859761423","426853791","713924856","961537284","287419635","345286179"]'
solves() { curl -s --max-time 10 -H 'Content-Type: application/json' -d "{\"board\": $board}" "$1/solve" | jq -c .solution; }

# --- what is in it ---
bytes=$(find "$tree" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
echo "image: $bytes bytes, $(gzip -9c "$tree/${entrypoint[0]}" | wc -c) compressed"
is "nothing in it but its entry point" "$(find "$tree" ! -type d -printf '/%P ')" "${entrypoint[0]} "
is "under 10 MB" "$((bytes < 10000000))" 1
once -- /bin/sh -c true
is "no shell: chroot finds none" "$code" 127
is "user" "$user" 65532:65532
is "port" "$(of '.ExposedPorts | keys | join(" ")')" 8080/tcp
is "stop signal" "$stop" SIGTERM
is "host" "$(of '[.Env[] | select(startswith("SUDOKU_"))] | join(" ")')" SUDOKU_HOST=0.0.0.0
is "entry point without a shell" "$(of '.Entrypoint | join(" ")')" /sudoku-server
is "health check without a shell" "$(of '.Healthcheck.Test | join(" ")')" "CMD /sudoku-server healthcheck"
is "the health check may take longer than the binary's own 2 s" "$(of '.Healthcheck.Timeout > 2e9')" true
label() { of ".Labels[\"org.opencontainers.image.$1\"]"; }
is "label title" "$(label title)" sudoku-server
is "label licenses" "$(label licenses)" "MIT OR Apache-2.0"
is "label revision" "$(label revision)" "$commit"
is "label source, from its build arg" "$(label source)" https://example.org/sudoku-server
is "label description" "$(label description | grep -c Sudoku)" 1
once -- "${entrypoint[@]}" --version
is "label version, and --version exits 0" "sudoku-server $(label version) $code" "$output 0"
once -- "${entrypoint[@]}" --help
is "--help exits 0" "$code" 0

# --- it serves ---
serve --
is "listens on every address" "$(listens_on)" "$(kernel_address 00000000 "$port")"
is "runs as its user and group" "$(awk '/^[UG]id:/ { print $2, $3, $4, $5 }' "/proc/$pid/status" | paste -sd ' ')" \
  "65532 65532 65532 65532 65532 65532 65532 65532"
is "has no further group" "$(awk '/^Groups:/ { print NF - 1 }' "/proc/$pid/status")" 0
is "has no capability" "$(awk '/^CapEff:/ { print $2 }' "/proc/$pid/status")" 0000000000000000
is "solves a board" "$(solves "$url")" "$solution"
is "solves a board asked from outside" "$(solves "http://192.0.2.1:$port")" "$solution"
is "/version tells the commit" "$(curl -s "$url/version" | jq -r .commit)" "$commit"
healthy
is "healthy: exit code, and nothing to say" "$code$output" 0
refused "port taken" 69 "cannot listen on 0.0.0.0:$port" --
halt
is "stop signal: exit code" "$code" 0
is "stop signal: the log says drained" "$(grep -c '"drained":true' "$work/log")" 1
healthy
is "gone: exit code" "$code" 1
is "gone: one clear line" "$(grep -c "^sudoku-server: not ready at 127.0.0.1:$port: " <<<"$output") $(wc -l <<<"$output")" "1 1"

# --- as process 1, where a signal without a handler does nothing, and with a search at work ---
# The last cell has no candidate, which reading order finds out only at the end: this search lasts until its time is over.
endless='{"algorithm": "reading_order", "max_nodes": 9007199254740991, "board": "........9...............................................................12345678."}'
around=("$unshare" --pid --fork)
serve SUDOKU_MAX_NODES=9007199254740991 SUDOKU_SOLVE_TIMEOUT=2s --
around=()
service=$(tr -d ' ' <"/proc/$pid/task/$pid/children")
is "it is process 1" "$(awk '/^NSpid:/ { print $NF }' "/proc/$service/status")" 1
(curl -s -w '\n%{http_code}\n' --max-time 20 -H 'Content-Type: application/json' -d "$endless" "$url/validate" >"$work/answer") &
client=$!
searching() { curl -s "$url/metrics" | grep -qx 'solver_permits_in_use 1'; }
for _ in $(seq 100); do searching && break; sleep 0.02; done
searching
is "a search is at work" "$?" 0
halt "$service"
wait "$client"
is "process 1, stop signal: the search is answered in full" \
  "$(tail -n 1 "$work/answer") $(head -n 1 "$work/answer" | jq -r '.verdict + " " + .limit')" "200 undecided time"
is "process 1, stop signal: exit code" "$code" 0
is "process 1, stop signal: the log says drained" "$(grep -c '"drained":true' "$work/log")" 1

# --- on a read-only file system ---
mkdir "$work/read-only"
mount --bind "$tree" "$work/read-only" && mount -o remount,bind,ro "$work/read-only"
root=$work/read-only
is "the file system cannot be written to" "$(touch "$root/file" 2>/dev/null; echo $?)" 1
serve --
is "read-only: solves a board" "$(solves "$url")" "$solution"
healthy
is "read-only: healthy" "$code" 0
halt
is "read-only: exit code" "$code" 0
root=$tree
umount "$work/read-only"

# --- environments and flags that are not as they should be ---
kept=("${environment[@]}")
environment=()
serve --
is "no environment: listens on loopback" "$(listens_on)" "$(kernel_address 0100007F "$port")"
is "no environment: solves a board" "$(solves "$url")" "$solution"
healthy
is "no environment: healthy" "$code" 0
halt
is "no environment: exit code" "$code" 0
environment=("${kept[@]}")

link=tcp://10.0.0.1:8080
serve SUDOKU_PORT=$link SUDOKU_PORT_8080_TCP_ADDR=10.0.0.1 SUDOKU_SERVICE_HOST=10.0.0.1 SUDOKU_SERVICE_PORT=8080 --
is "service link: listens on the port all the same" "$(listens_on)" "$(kernel_address 00000000 "$port")"
is "service link: one warning" "$(grep '"WARN"' "$work/log" | grep -cF "SUDOKU_PORT=$link is a Kubernetes service link")" 1
healthy SUDOKU_PORT=$link
is "service link: healthy" "$code" 0
halt
is "service link: exit code" "$code" 0

serve SUDOKU_PORT=9090 --
is "another port: listens there" "$(listens_on)" "$(kernel_address 00000000 9090)"
healthy SUDOKU_PORT=9090
is "another port: healthy" "$code" 0
halt
is "another port: exit code" "$code" 0

refused "port below 1024" 69 "cannot listen on 0.0.0.0:80: Permission denied" SUDOKU_PORT=80 --
refused "a wrong flag" 64 "--nonsense" -- --nonsense
refused "a command where a shell is expected" 64 "sh" -- sh -c true
refused "a variable that is no port" 64 "SUDOKU_PORT: invalid value 'http'" SUDOKU_PORT=http --
refused "a host name" 64 "SUDOKU_HOST: invalid value 'localhost'" SUDOKU_HOST=localhost --
refused "a flag that is no UTF-8" 64 "--port" -- $'--port=\xff'
refused "a variable that is no UTF-8" 64 "SUDOKU_PORT" $'SUDOKU_PORT=\xff' --

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
