#!/usr/bin/env bash
# Fills the corpora from the tests' own data. Usage: fuzz/seed.sh, then cargo +nightly fuzz run TARGET
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p fuzz/corpus/{request,batch,line,cages}
n=0
while IFS=$'\t' read -r board _; do
  n=$((n + 1))
  printf '%s' "$board" >"fuzz/corpus/line/$n"
  printf '{"board":"%s"}' "$board" >"fuzz/corpus/request/$n"
  printf '%s\n"%s"\n{"board":"%s"}\n# %s\r\n' "$board" "$board" "$board" "$board" >"fuzz/corpus/batch/$n"
done < <(grep -hv '^#' tests/data/*.tsv)
printf '{"board":"%081d","cages":[{"sum":3,"cells":["r1c1","r1c2"]}],"algorithm":"mrv","max_nodes":10}' 0 >fuzz/corpus/request/cages
printf '\2\0\1\11\2\2\3\0\1\3\17\2\3\4' >fuzz/corpus/cages/small
