# Tests the services of compose.yaml with podman: the confinement, the server (server.sh), a transcript, an encode whose
# container is killed, a job that needs too much memory, and health. Sourced by ../check-image.sh; reads project, cache,
# work, uid, image, layers, media; uses say, fail, bud, podman, stop_podman, free_port; sets log, temporal, server_token.

# The environment is kept beside the base; a Python environment cannot be moved.
composer=$cache/podman-compose-1.6.0
if [[ ! -x $composer/bin/podman-compose ]]; then
  python3 -m venv "$composer"
  "$composer/bin/pip" install --quiet --require-hashes --only-binary :all: -r "$project/scripts/check-image/compose-requirements.txt"
fi
temporal=$(node "$project/scripts/setup/tool.mjs" TEMPORAL_CLI_PATH)

# --- what stands in for Docker and for Temporal's image --------------------------------------------------------------

mkdir -p "$work/temporal" "$work/compose"
cp "$temporal" "$work/temporal/temporal"
cat >"$work/temporal/Dockerfile" <<'DOCKERFILE'
FROM localhost/holdfast-base:check
RUN useradd --create-home temporal
COPY temporal /usr/local/bin/temporal
USER temporal
ENTRYPOINT ["/usr/local/bin/temporal"]
DOCKERFILE
temporal_image=$(sed -n 's/^ *image: \(temporalio.*\)/\1/p' "$project/compose.yaml")
log=$work/temporal.log
bud build --isolation chroot --format docker --pull-never --layers="$layers" --tag "docker.io/$temporal_image" "$work/temporal" >"$log" 2>&1 ||
  fail 'the image that stands in for Temporal does not build.'
# The variant has everything that the image has. The pods run the image itself.
bud tag "$image-vmaf" localhost/holdfast:local
bud tag "$image-transcriber" localhost/holdfast-transcriber:local

# compose.yaml unchanged except for this machine's ports, which may be in use.
substitutions=()
for port in 7233 8233 8080 8081 8088; do
  substitutions+=(-e "s/127.0.0.1:$port:/127.0.0.1:$(free_port):/")
done
sed "${substitutions[@]}" "$project/compose.yaml" >"$work/compose/compose.yaml"
published() { sed -n "s/.*127.0.0.1:\([0-9]*\):$1'.*/\1/p" "$work/compose/compose.yaml" | sed -n "${2:-1}p"; }
temporal_address=127.0.0.1:$(published 7233)
server_token=$(node -p 'require("node:crypto").randomBytes(24).toString("hex")')
printf '[{"token":"%s","scopes":["read","run"]}]' "$server_token" >"$work/compose/tokens.json"
compose() {
  (cd "$work/compose" && PATH="$work/bin:$PATH" MEDIA_DIR="$media" CONTAINER_MEMORY=1g SERVER_TOKENS="$work/compose/tokens.json" \
    "$composer/bin/podman-compose" --profile server "$@")
}

# --- compose up --------------------------------------------------------------------------------------------------------

ffmpeg -nostdin -v error -y -f lavfi -i 'sine=frequency=440:sample_rate=44100:duration=1800' -c:a pcm_s16le "$media/long.wav"
ffmpeg -nostdin -v error -y -f lavfi -i 'testsrc=size=3840x2160:rate=5:duration=1' -c:v libx264 -preset ultrafast "$media/large.mp4"
chown "$uid:$uid" "$media"/*

say 'compose: starting all services'
log=$work/compose.log
compose up -d --no-build >"$log" 2>&1 || fail 'podman-compose up failed.'
name_of() { podman ps -a --format '{{.Names}}' | grep -E "[-_]$1([-_]1)?\$" | head -n 1; }
first=$(name_of container-1) second=$(name_of container-2) worker=$(name_of worker) transcriber=$(name_of transcriber)
[[ -n $first && -n $second && -n $worker && -n $transcriber ]] || fail "not all services are there: $(podman ps -a --format '{{.Names}} {{.Status}}')"

# wait_for <what> <command>…
wait_for() {
  local what=$1
  shift
  for _ in {1..240}; do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.5
  done
  fail "$what was waited for in vain."
}
is_healthy() { podman healthcheck run "$1"; }
is_ready() { podman exec "$1" node -e 'fetch("http://127.0.0.1:8080/ready").then(({ ok }) => process.exit(ok ? 0 : 1))'; }
for service in "$first" "$second"; do
  wait_for "health of $service" is_healthy "$service"
  wait_for "readiness of $service" is_ready "$service"
done
say 'compose: both containers are healthy'

# Proves the confinement that the files ask for.
is_confined() {
  podman exec "$1" sh -c '! touch /usr/local/made 2>/dev/null && test ! -w /app && test "$(id -u)" = 1000 &&
    grep -q "^CapBnd:[[:space:]]*0*$" /proc/1/status && grep -q "^NoNewPrivs:[[:space:]]*1$" /proc/1/status'
}
for service in "$first" "$second" "$worker" "$transcriber"; do
  is_confined "$service" || fail "$service is not as confined as compose.yaml says."
done
! podman logs "$first" 2>&1 | grep 'without its sandbox' || fail 'ffmpeg has no sandbox in the container.'
say 'compose: user 1000, read-only, no capabilities, ffmpeg in its sandbox'

# shellcheck source=scripts/check-image/server.sh
source "$project/scripts/check-image/server.sh"

# --- a transcript -------------------------------------------------------------------------------------------------------

cli() { "$temporal" "$@" --address "$temporal_address"; }
wait_for "health of $transcriber" is_healthy "$transcriber"
cli workflow start --type processing --task-queue holdfast --workflow-id spoken --input \
  '{"sourceUrl":"file:///media/source.wav","uploadUrlPrefix":"file:///media/spoken/","provider":"local/tiny.en","chunkDuration":8}' \
  >"$log" 2>&1 || fail 'the run could not be started.'
timeout 300 "$temporal" workflow result --workflow-id spoken --address "$temporal_address" >"$log" 2>&1 ||
  fail 'the run that transcribes did not end well.'
words=$(tr -d ',' <"$media/spoken/transcript.txt" | tr '\n' ' ')
[[ ${words,,} == *'in order for this to work you must already be connected to the internet'* ]] || fail "the transcript is: $words"
[[ -s $media/spoken/transcript.vtt ]] || fail 'the run has no captions.'
memory=$(podman exec "$transcriber" sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(podman exec "$transcriber" cat /proc/1/task/1/children | cut -d' ' -f1)/status")
say "compose: transcribed a recording, with $((memory / 1024)) MB of memory"

# --- the busy container is killed --------------------------------------------------------------------------------------

cli workflow start --type encode --task-queue holdfast --workflow-id killed --input \
  '{"sourceUrl":"file:///media/long.wav","outputs":[{"format":"mp3_64","uploadUrl":"file:///media/long.mp3"}]}' >"$log" 2>&1 ||
  fail 'the run could not be started.'
busy=
is_busy() { podman exec "$1" node -e 'fetch("http://127.0.0.1:8080/health").then((r) => r.json()).then((h) => process.exit(h.activeJobs > 0 ? 0 : 1))'; }
some_busy() {
  for service in "$first" "$second"; do
    if is_busy "$service"; then
      busy=$service
      return 0
    fi
  done
  return 1
}
wait_for 'a busy container' some_busy
other=$first
[[ $busy != "$first" ]] || other=$second
# jobs_of <container>: how many jobs it has ended.
jobs_of() { podman logs "$1" 2>&1 | grep -c 'JOB_END' || true; }
jobs_before=$(jobs_of "$other")
podman kill --signal KILL "$busy" >/dev/null
say "compose: killed $busy in the middle of an encode"
timeout 300 "$temporal" workflow result --workflow-id killed --address "$temporal_address" >"$log" 2>&1 ||
  fail 'the run did not end well after its container was killed.'
(($(jobs_of "$other") > jobs_before)) || fail "$other has not done the encode."
seconds=$(ffprobe -v error -show_entries format=duration -of default=noprint_wrappers=1:nokey=1 "$media/long.mp3")
awk -v s="$seconds" 'BEGIN { exit !(s > 1799.9 && s < 1800.2) }' || fail "the file of the run that went on is $seconds s long."
say "compose: the run went on in $other"

# --- memory, health ----------------------------------------------------------------------------------------------------

address=http://127.0.0.1:$(published 8080 "$([[ $other == "$first" ]] && echo 1 || echo 2)")
code=$(curl -sS "$address/encode" -H 'content-type: application/json' -d \
  '{"sourceUrl":"file:///media/large.mp4","outputs":[{"container":"mp4","video":{"codec":"h264"},"uploadUrl":"file:///media/large-out.mp4"}]}' |
  node -e 'console.log(JSON.parse(require("node:fs").readFileSync(0, "utf8")).code)')
[[ $code == needs_more_memory ]] || fail "an encode beyond the memory limit is answered '$code', not needs_more_memory."
[[ $(podman inspect --format '{{.State.Running}} {{.State.OOMKilled}}' "$other") == 'true false' ]] || fail "$other did not survive it."
say 'compose: an encode beyond the memory limit is refused, and the container goes on'

# tini is the first process, and Node its child.
podman exec "$other" sh -c 'kill -STOP $(cat /proc/1/task/1/children)'
is_unhealthy() { ! podman healthcheck run "$other" && [[ $(podman inspect --format '{{.State.Health.Status}}' "$other") == unhealthy ]]; }
wait_for "$other to be unhealthy" is_unhealthy
podman exec "$other" sh -c 'kill -CONT $(cat /proc/1/task/1/children)'
wait_for "$other to be healthy again" is_healthy "$other"
say 'compose: a container that hangs is unhealthy, and healthy again when it goes on'
stop_podman "$work"
