#!/usr/bin/env bash
# The service behind a real HAProxy and a real nginx: restarts, kills, overload, rude clients; then the manifests.
#   tests/ops/run.sh [NAME...]     all tests, or those whose names contain a NAME
#   BIN=path                       the binary to test; default target/release/sudoku-server, built where it is absent
# As root it installs haproxy, nginx-light with its stream module (apt) and, into target/ops-venv, kubernetes-validate (PyPI), where they are
# missing. What cannot be had is skipped, and said so. Everything listens on 127.0.0.1; it takes three to four minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
missing=()
command -v haproxy >/dev/null || [[ -x /usr/sbin/haproxy ]] || missing+=(haproxy)
command -v nginx >/dev/null || [[ -x /usr/sbin/nginx ]] || missing+=(nginx-light)
[[ -e /usr/lib/nginx/modules/ngx_stream_module.so ]] || missing+=(libnginx-mod-stream)
if ((${#missing[@]})) && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    >/dev/null 2>&1 || echo "cannot install ${missing[*]}" >&2
fi
venv=target/ops-venv
if [[ ! -x $venv/bin/kubernetes-validate ]]; then
  { python3 -m venv $venv && $venv/bin/pip install --quiet 'kubernetes-validate==1.37.0'; } >/dev/null 2>&1 ||
    echo "cannot install kubernetes-validate" >&2
fi
export BIN=${BIN:-target/release/sudoku-server}
[[ -x $BIN ]] || cargo build --release --locked
exec python3 tests/ops/ops.py "$@"
