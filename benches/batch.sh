#!/usr/bin/env bash
# Boards a second of the server's own CPU time through POST /solve/batch: text in, uniqueness proved, JSON lines out.
#   benches/batch.sh BOARDS [LINES] [FLAG...]     BOARDS: a file of 81-character lines, repeated up to LINES (2 million)
# Prints the boards a second of CPU time (utime + stime of /proc/PID/stat), the wall time and the peak memory.
set -euo pipefail
cd "$(dirname "$0")/.."
boards=$1; lines=${2:-2000000}; shift $(($# < 2 ? $# : 2))
bin=${BIN:-target/release/sudoku-server}
[[ -x $bin ]] || cargo build --release --locked
input=$(mktemp) log=$(mktemp)
# Ends by a broken pipe, as it should.
{ while grep -v '^#' "$boards" | cut -c1-81; do :; done 2>/dev/null || true; } | head -n "$lines" >"$input" || true
"$bin" --port 0 --log-format json "$@" 2>"$log" & server=$!
trap 'kill $server; wait $server 2>/dev/null || true; rm "$input" "$log"' EXIT
until addr=$(sed -n 's/.*"listening","addr":"\([^"]*\)".*/\1/p' "$log") && [[ -n $addr ]]; do sleep 0.1; done
cpu() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
before=$(cpu) began=$EPOCHREALTIME
curl -sS -X POST -T "$input" -H 'Content-Type: text/plain' "http://$addr/solve/batch" >/dev/null
awk -v ticks=$(($(cpu) - before)) -v hertz="$(getconf CLK_TCK)" -v lines="$lines" -v wall="$(echo "$EPOCHREALTIME $began" | awk '{ print $1 - $2 }')" \
  -v peak="$(awk '/VmHWM/ { print $2 }' "/proc/$server/status")" \
  'BEGIN { printf "%.0f boards a second of CPU time, %.2f s of it, %.2f s by the clock, peak memory %d kB\n", lines * hertz / ticks, ticks / hertz, wall, peak }'
