# Tests the server of compose.yaml with its page: an upload, a run with each kind of output, a processing run, and the
# page in a browser. Sourced by compose.sh, which has started all services; reads project, work, media, uid; uses say,
# fail, podman, published, name_of, wait_for, is_healthy, is_confined; sets log.

server=$(name_of server)
[[ -n $server ]] || fail 'the server of compose.yaml is not there.'
wait_for "health of $server" is_healthy "$server"
is_confined "$server" || fail "$server is not as confined as compose.yaml says."

# A black film shows whether burnt-in text is there.
ffmpeg -nostdin -v error -y -f lavfi -i 'color=black:size=320x180:rate=25:duration=2' -f lavfi -i 'sine=duration=2' \
  -c:v libx264 -preset ultrafast -c:a aac "$work/black.mp4"
printf '1\n00:00:00,000 --> 00:00:02,000\nHoldfast\n' >"$media/words.srt"
chown "$uid:$uid" "$media/words.srt"

log=$work/server.log
CHROMIUM_PATH=$(node "$project/scripts/setup/tool.mjs" CHROMIUM_PATH) \
  node "$project/scripts/setup.mjs" scripts/check-image/server.mjs \
  "http://127.0.0.1:$(published 8088)" "$server_token" "$work/black.mp4" file:///media/words.srt >"$log" 2>&1 ||
  fail 'the server does not do what it must.'
grep '^        ' "$log" || true
# The other commands of the image. Without a key, the codec server ends with a reason.
podman exec "$server" /usr/local/bin/holdfast runs >"$log" 2>&1 || fail 'the command line of the image lists no runs.'
grep -q 'encode-black-' "$log" || fail 'the command line of the image does not list the run.'
podman exec "$server" /usr/local/bin/holdfast codec-server >"$log" 2>&1 || true
grep -q PAYLOAD_KEY "$log" || fail 'the codec server of the image does not start.'
say 'server: upload, audio, film with burnt-in text, VMAF, image, package, chunks, and the page in a browser'
