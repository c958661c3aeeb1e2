#!/usr/bin/env bash
# Holds the running service to openapi.yaml from outside: schemathesis, a linter, and a generated TypeScript client.
# Usage: tests/contract/run.sh        (BIN is the binary, by default target/release/sudoku-server)
# Needs Node 20.19 or later and Python 3.10 or later; what is missing is skipped with a word.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd); root=$(cd "$here/../.." && pwd); cd "$root"
bin=${BIN:-$root/target/release/sudoku-server}
out=$root/target/contract; mkdir -p "$out"
passed=0 failed=0 skipped=0
check() { # NAME COMMAND...
  local name=$1; shift
  if "$@"; then passed=$((passed + 1)); echo "ok: $name"; else failed=$((failed + 1)); echo "FAILED: $name"; fi
}
skip() { skipped=$((skipped + 1)); echo "skipped: $1"; }

"$bin" --port 0 --log-format json 2>"$out/service.log" &
service=$!
trap 'kill "$service" 2>/dev/null; wait "$service" 2>/dev/null' EXIT
for _ in {1..100}; do grep -q '"listening"' "$out/service.log" && break; sleep 0.05; done
addr=$(grep -m1 '"listening"' "$out/service.log" | grep -o '"addr":"[^"]*"' | cut -d'"' -f4)
[[ -n $addr ]] || { echo "the service does not start:"; cat "$out/service.log"; exit 1; }

if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
  npm ci --prefix "$here" --no-audit --no-fund --silent
  check "redocly finds nothing" npm run --prefix "$here" --silent lint
  check "types are generated" npm run --prefix "$here" --silent types
  check "the client compiles" npm run --prefix "$here" --silent check
  check "the client solves" env BASE_URL="http://$addr" node "$here/generated/client.js"
else
  skip "no Node 20.19 or later: the linter and the TypeScript client"
fi

if python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  [[ -x $out/venv/bin/schemathesis ]] || { python3 -m venv "$out/venv" && "$out/venv/bin/pip" install -q schemathesis==4.32.5; }
  check "schemathesis finds nothing" "$out/venv/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$root/openapi.yaml" \
    --url "http://$addr" --checks all --seed 20261130 --max-examples "${EXAMPLES:-40}" --request-timeout 20 --no-color
else
  skip "no Python 3.10 or later with venv: schemathesis"
fi
check "the service is still there" "$bin" healthcheck --port "${addr##*:}"
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
