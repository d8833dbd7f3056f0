#!/usr/bin/env bash
# Sends a file to a Holdfast server, watches it being encoded, and saves the result:
#
#   ./encode-file.sh talk.wav talk.mp3
#
# HOLDFAST_URL names the server (default: that of `npm start`), HOLDFAST_TOKEN is for one that asks for a token.
set -euo pipefail

die() { echo "$1" >&2 && exit 1; }
[[ $# -eq 2 ]] || die 'Usage: ./encode-file.sh <source> <target>'
for tool in curl jq; do command -v "$tool" >/dev/null || die "Install $tool."; done
[[ -r $1 ]] || die "$1 cannot be read."
source=$1 target=$2
url=${HOLDFAST_URL:-http://127.0.0.1:8088}
holdfast() { curl -sS --fail-with-body ${HOLDFAST_TOKEN:+-H "Authorization: Bearer $HOLDFAST_TOKEN"} "$@"; }
# The path of what a request has made, from the headers of its answer.
location() { tr -d '\r' | sed -n 's/^[Ll]ocation: //p'; }

# The upload, by tus. After a break `HEAD` tells its Upload-Offset, from which it goes on.
bytes=$(wc -c <"$source" | tr -d ' ')
upload=$(holdfast -o /dev/null -D - -X POST "$url/api/uploads" -H 'Tus-Resumable: 1.0.0' -H "Upload-Length: $bytes" \
  -H "Upload-Metadata: filename $(basename "$source" | tr -d '\n' | base64 -w 0)" | location)
upload=$url/api/uploads/${upload##*/}
holdfast -X PATCH "$upload" -H 'Tus-Resumable: 1.0.0' -H 'Upload-Offset: 0' \
  -H 'Content-Type: application/offset+octet-stream' --data-binary "@$source"

# The run. A second request with this Idempotency-Key, the part of the id that no other upload has, gives the same run.
id=${upload##*/}
run=$url$(jq -n --arg source "upload:$(printf '%b' "${id//%/\\x}")" --arg target "result:$(basename "$target")" \
  '{workflow: "encode", input: {sourceUrl: $source, outputs: [{preset: "podcast-mp3-stereo", uploadUrl: $target}]}}' |
  holdfast -o /dev/null -D - "$url/api/runs" -H "Idempotency-Key: ${id:0:22}" --json @- | location)

# The stream of its events ends with the run.
holdfast -N "$run/events" | sed -un 's/^data: //p' | jq -r --unbuffered '[.state, .phase, .percent] | map(. // "") | @tsv'

details=$(holdfast "$run")
jq -e '.state == "succeeded"' <<<"$details" >/dev/null || { jq -r '.failure.message' <<<"$details" >&2 && exit 1; }
holdfast -o "$target" "$url$(jq -r '.files[] | select(.kind == "output") | .url' <<<"$details")"
echo "Saved $target"
