#!/bin/sh
# Tests the web page: its modules, and the page itself in a browser against the real binary.
#
# Uses the binary that SUDOKU_SERVER names, else the newest one in target/, building one if there is none.
# Arguments are parts of file names: `tests/web/run.sh verdict` runs that file alone.
set -eu
cd "$(dirname "$0")"
chromium=${CHROMIUM:-/usr/bin/chromium}
for needed in node npm "$chromium"; do
    if ! command -v "$needed" >/dev/null; then
        echo "web tests skipped: there is no $needed"
        exit 0
    fi
done
if [ -z "${SUDOKU_SERVER:-}" ] && [ ! -x ../../target/debug/sudoku-server ] && [ ! -x ../../target/release/sudoku-server ]; then
    cargo build --quiet
fi
if [ ! -d node_modules/axe-core ] || [ ! -d node_modules/playwright-core ]; then
    npm ci --no-audit --no-fund --silent
fi
CHROMIUM=$chromium exec node run.mjs "$@"
