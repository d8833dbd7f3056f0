#!/usr/bin/env bash
# Builds the image and tests it on a machine without a Docker engine: `npm run check:image`.
#
# 1. A base that stands in for node:24-bookworm-slim: Debian by debootstrap, Node from the npm package `node` at the
#    version that package.json pins, npm. It is kept in ${HOLDFAST_CACHE:-${XDG_CACHE_HOME:-~/.cache}/holdfast}.
# 2. `buildah build --isolation chroot` of the Dockerfile over it, and of its stages `vmaf` and `transcriber`.
# 3. The image's own command, as its own user, in namespaces of its own, with a read-only root, no capabilities and
#    /scratch as the only writable folder: /health, the HEALTHCHECK, an encode of a real recording, SIGTERM; then the
#    worker's role with the workflow bundle.
# 4. The services of compose.yaml by podman, with Temporal's CLI in place of its image: each kind of output through the
#    server and its page, a transcript without a provider's key, an encode whose container is killed, a job that needs too
#    much memory, and a container that hangs.
# 5. The pods of deploy/kubernetes/overlays/local by `podman kube play`: an encode.
#
# `npm run check:image -- reproducible` builds the image twice from scratch and compares the files instead of steps 3 to
# 5.
#
# Mirrors, proxies and authorities for Debian and npm come from this machine's own settings. The check needs root,
# Debian or a derivative, namespaces and control groups; otherwise it prints one line and exits with status 77. It
# leaves only the cached base, the layers of this week's images and npm's downloads.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${HOLDFAST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holdfast}/image
started_at=$SECONDS

say() { printf '[%3ds] %s\n' $((SECONDS - started_at)) "$*"; }
fail() {
  printf 'check:image: %s\n' "$*" >&2
  exit 1
}
# cannot_run <reason>: reports a limit of this machine, not a fault of the image.
cannot_run() {
  log=
  printf 'NOT CHECKED: the image cannot be checked on this machine: %s\n' "$*" >&2
  exit 77
}

[[ $# == 0 || $* == reproducible ]] || fail "knows no '$*': it is asked for 'reproducible', or for nothing."
[[ $(id -u) == 0 ]] || cannot_run 'this is not root, which debootstrap and the namespaces need.'
command -v dpkg >/dev/null && command -v apt-get >/dev/null || cannot_run 'this is no Debian, nor a relative of it.'
[[ $(dpkg --print-architecture) == amd64 ]] || cannot_run 'podman-compose is pinned for x86-64.'
unshare --mount --pid --ipc --uts --fork mount -t proc proc /proc 2>/dev/null || cannot_run 'it gives no namespaces.'
# catatonit holds the namespaces of a pod.
missing=()
for tool in buildah debootstrap podman runc catatonit ffmpeg curl; do command -v "$tool" >/dev/null || missing+=("$tool"); done
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if ((${#missing[@]} > 0)); then
  say "installing ${missing[*]}"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" netavark aardvark-dns iptables >/dev/null; } || cannot_run "apt-get does not install ${missing[*]}."
fi
python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || cannot_run 'podman-compose is pinned for Python 3.11, which is of Debian bookworm.'

mkdir -p "$cache"
exec 9>"$cache/lock"
flock -n 9 || {
  say 'another check:image is running; waiting for it'
  flock 9
}

# Podman accepts at most 50 characters for this path, which ends with the name of the check's folder.
podman_state() { echo "/run/holdfast-check.${1##*.}"; }
# show_services <folder>: the end of the log of everything that podman runs for the check in that folder.
show_services() {
  [[ -x $1/bin/podman ]] || return 0
  "$1/bin/podman" ps --all --format '{{.Names}} {{.Status}}' | while read -r name status; do
    printf '\n--- %s, %s\n' "$name" "$status"
    "$1/bin/podman" logs --tail 7 "$name" 2>&1 || true
  done
}
# stop_podman <folder>: stops everything that podman runs for the check in that folder.
stop_podman() {
  [[ -x $1/bin/podman ]] || return 0
  "$1/bin/podman" pod rm --all --force --time 1 >/dev/null 2>&1 || true
  "$1/bin/podman" rm --all --force --volumes --time 1 >/dev/null 2>&1 || true
}
# remove_run <folder>: removes a check and its processes. Contents of a path that might still be mounted are not
# removed.
remove_run() {
  stop_podman "$1"
  rm -rf --one-file-system "$(podman_state "$1")" "$1" || true
}
# Remains of checks that were killed.
for left in "$cache"/run.*; do remove_run "$left"; done

work=$(mktemp -d "$cache/run.XXXXXX")
image=holdfast:check
# Log that is shown if the check fails.
log=
role_pid=
role_outer=
silent_pid=
origin_pid=

# All of buildah's state is under $cache, so that other users of buildah are not affected. npm's downloads survive in
# TMPDIR, where buildah keeps the contents of `--mount=type=cache`.
mkdir -p "$cache/tmp"
bud() { TMPDIR="$cache/tmp" buildah --root "$images" --runroot "$work/runroot" --storage-driver "$driver" "$@"; }

clean_up() {
  local status=$?
  trap - EXIT INT TERM
  [[ -z $role_pid ]] || kill -KILL "$role_pid" 2>/dev/null || true
  [[ -z $role_outer ]] || wait "$role_outer" 2>/dev/null || true
  [[ -z $silent_pid ]] || kill "$silent_pid" 2>/dev/null || true
  [[ -z $origin_pid ]] || kill "$origin_pid" 2>/dev/null || true
  if ((status != 0)) && [[ -s $log ]]; then
    printf '\n--- the end of %s\n' "$(basename "$log")" >&2
    tail -n 40 "$log" >&2
  fi
  ((status == 0)) || show_services "$work" >&2 || true
  if [[ -n ${driver:-} ]]; then
    bud umount --all >/dev/null 2>&1 || true
    bud rm --all >/dev/null 2>&1 || true
  fi
  remove_run "$work"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# shellcheck source=scripts/check-image/base.sh
source "$project/scripts/check-image/base.sh"
# shellcheck source=scripts/check-image/store.sh
source "$project/scripts/check-image/store.sh"
# shellcheck source=scripts/check-image/build.sh
source "$project/scripts/check-image/build.sh"
if [[ ${1:-} == reproducible ]]; then
  # shellcheck source=scripts/check-image/reproducible.sh
  source "$project/scripts/check-image/reproducible.sh"
  exit
fi

# A container must be able to work after 3 s of processor time, in hundredths of a second.
max_start_time=300

# --- running it ------------------------------------------------------------------------------------------------------

media=$work/media
install -d -o "$uid" -g "$uid" "$media" "$work/scratch"
install -m 0644 "$project/examples/talk.wav" "$media/source.wav"

# Runs in new mount, pid, ipc and uts namespaces with the image's root read-only, a small /dev, /proc and the two
# writable folders. It shares the loopback network.
# shellcheck disable=SC2016 # expanded by the inner bash
enter_image='
  set -euo pipefail
  root=$1 scratch=$2 media=$3
  shift 3
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount --bind "$scratch" "$root/scratch"
  mount --bind "$media" "$root/media"
  mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
  mount -t tmpfs -o nosuid,size=64k,mode=755 dev "$root/dev"
  for device in null zero full random urandom; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mount -o remount,bind,ro,nosuid "$root"
  exec chroot "$root" "$@"
'
# setpriv is the image'"'"'s own: it gives up every capability for good before the image'"'"'s command begins.
confined=(/usr/bin/setpriv "--reuid=$uid" "--regid=$uid" --clear-groups --no-new-privs
  --inh-caps=-all --ambient-caps=-all --bounding-set=-all --)

# start_role <VARIABLE=value>… -- <argument>…: writes to $log; sets role_outer, and role_pid to the image's PID 1.
start_role() {
  local variables=()
  while [[ $1 != -- ]]; do
    variables+=("$1")
    shift
  done
  shift
  unshare --mount --pid --ipc --uts --fork --kill-child \
    bash -c "$enter_image" enter-image "$root" "$work/scratch" "$media" \
    /usr/bin/env -i HOME=/home/node "${image_env[@]}" "${variables[@]}" \
    /usr/bin/env "--chdir=${image_folder[0]:-/}" "${confined[@]}" "${image_entrypoint[@]}" "$@" \
    >"$log" 2>&1 9>&- &
  role_outer=$!
  for _ in {1..50}; do
    role_pid=$(cat "/proc/$role_outer/task/$role_outer/children" 2>/dev/null || true)
    role_pid=${role_pid%% *}
    [[ -z $role_pid ]] || return 0
    sleep 0.1
  done
  fail 'the namespaces of the image could not be made.'
}

# exec_in <command>…: like `docker exec`, runs in the namespaces of the running role as its user.
exec_in() {
  nsenter --target "$role_pid" --mount --pid --ipc --uts --root --wd \
    /usr/bin/env -i HOME=/home/node "${image_env[@]}" "${role_variables[@]}" "${confined[@]}" "$@"
}

# wait_until_healthy <role>: waits for the image's own HEALTHCHECK in the running role.
wait_until_healthy() {
  for _ in {1..100}; do
    kill -0 "$role_outer" 2>/dev/null || fail "the $1 ended before it was healthy."
    if exec_in "${image_health[@]}" >"$work/healthcheck.log" 2>&1; then return 0; fi
    sleep 0.2
  done
  fail "the HEALTHCHECK of the $1 never succeeded."
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); });'
}

say "container: starting as user $uid, read-only, without capabilities"
port=$(free_port)
role_variables=("PORT=$port" HOST=127.0.0.1 MEDIA_ROOT=/media)
log=$work/container.log
start_role "${role_variables[@]}" -- "${image_cmd[@]}"
wait_until_healthy container
# Processor time of Node until now, in hundredths of a second. Waits of a busy machine do not count.
node_pid=$(cut -d ' ' -f 1 "/proc/$role_pid/task/$role_pid/children")
start_time=$(awk -v hz="$(getconf CLK_TCK)" '{ print int(100 * ($14 + $15) / hz) }' "/proc/$node_pid/stat")
((start_time < max_start_time)) || fail "the container took $start_time hundredths of a second to start."
say "container: healthy after $start_time hundredths of a second of processor time"

node "$project/scripts/check-image/encode.mjs" "http://127.0.0.1:$port" ||
  fail 'the container does not do what it must.'
# It reads the tables of the contract, which are TypeScript.
"$project/node_modules/.bin/node" "$project/scripts/check-image/products.mjs" "http://127.0.0.1:$port" "$media" ||
  fail 'the container does not make every product.'

probe() { exec_in ffprobe -v error -show_entries "$1" -of default=noprint_wrappers=1:nokey=1 "$2"; }
for output in out.mp3:mp3 out.ogg:opus; do
  file=/media/${output%%:*}
  # The header of an MP3 counts the encoder's padding, a tenth of a second and more at low rates.
  codec=$(probe stream=codec_name "$file")
  [[ $codec == "${output##*:}" ]] || fail "$file holds '$codec', not ${output##*:}."
  awk -v a="$(probe format=duration /media/source.wav)" -v b="$(probe format=duration "$file")" \
    'BEGIN { exit !(a > 0 && a - b < 0.1 && b - a < 0.3) }' || fail "$file is not as long as its source."
done
# Proves the confinement: everybody can write to /tmp if the root is not read-only.
exec_in sh -c 'test ! -w /tmp && test ! -w /app && test -w /scratch &&
  grep -q "^CapBnd:[[:space:]]*0*$" /proc/1/status' || fail 'the container was not as confined as the check means it to be.'
# The image leaves files of Debian out, but changes none: its list of contents and scanners of packages are right.
altered=$(chroot "$root" dpkg --verify | grep -v '^missing' || true)
[[ -z $altered ]] || fail "the image has altered files of Debian: $altered"
log=$work/sbom.log
transcriber_root=$(bud mount "$(bud from --pull-never "$image-transcriber")")
vmaf_root=$(bud mount "$(bud from --pull-never "$image-vmaf")")
for bom in "$root" "$vmaf_root" "$transcriber_root"; do
  node "$project/scripts/check-image/sbom.mjs" "$bom/app/sbom.cdx.json" >"$log" 2>&1 || fail "an image does not say what is in it."
  cat "$log"
done
exec_in test -s /app/LICENSE || fail 'the image has no /app/LICENSE.'
say 'container: healthy, encodes, and its outputs are right'

kill -TERM "$role_pid"
status=0
wait "$role_outer" || status=$?
role_outer='' role_pid=''
((status == 0 || status == 143)) || fail "the container ended with status $status at SIGTERM."
left=$(ls -A "$work/scratch")
[[ -z $left ]] || fail "the container left $left in /scratch."
say 'container: ended at SIGTERM, /scratch is empty'

# shellcheck source=scripts/check-image/worker.sh
source "$project/scripts/check-image/worker.sh"
# shellcheck source=scripts/check-image/compose.sh
source "$project/scripts/check-image/compose.sh"
# shellcheck source=scripts/check-image/pod.sh
source "$project/scripts/check-image/pod.sh"
say 'the image is good'
