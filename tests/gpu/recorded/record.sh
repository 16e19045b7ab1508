#!/bin/sh
# Runs every program below bin/ with the recorder before the CUDA runtime: ./record.sh RECORDS [SECONDS of each] [AT A TIME]
# Each line of run/NAME/arguments is a run: RECORDS/NAME-1.jsonl holds the launches of the first, NAME-1.log the end of what it
# printed, RECORDS/runs.txt its exit status (124: the time was up).
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && records=$(cd "$1" && pwd) || exit 2
seconds=${2:-20}
if [ -z "$4" ]; then
    packages=$(find /usr /opt \( -name 'libcublas.so.*' -o -name 'libcurand.so.*' -o -name 'libcufft.so.*' \) -printf '%h\n' 2>/dev/null | sort -u | tr '\n' ':')
    export LD_LIBRARY_PATH="$here/lib:$packages$LD_LIBRARY_PATH"
    ls "$here/bin" | xargs -P "${3:-4}" -I NAME sh "$0" "$records" "$seconds" 1 NAME
    sort -o "$records/runs.txt" "$records/runs.txt"
    exit
fi
name=$4 run=0
cd "$here/run/$name" || exit 1
while read -r arguments; do
    run=$((run + 1))
    # shellcheck disable=SC2086  # the arguments are words
    timeout -k 2 "$seconds" env RECORD_TO="$records/$name-$run.jsonl" LD_PRELOAD="$here/librecorder.so" \
        "$here/bin/$name" $arguments </dev/null >"$records/$name-$run.out" 2>&1
    echo "$name $name-$run $?" >>"$records/runs.txt"
    tail -c 1500 "$records/$name-$run.out" >"$records/$name-$run.log"
    rm "$records/$name-$run.out"
done <arguments
