# Storage of buildah and podman for images. Sourced by ../check-image.sh; reads cache, work, base; uses bud,
# podman_state, cannot_run; sets log, images, driver, layers.

# A layer is rebuilt when its inputs change, and all layers are rebuilt each week to get Debian's fixes and to drop old
# data.
images=$cache/images-$(basename "$base" .tar | cut -d- -f2)-$(date +%G-W%V)
for old in "$cache"/images-*; do [[ $old == "$images" ]] || rm -rf --one-file-system "$old" || true; done
# overlay needs a suitable file system. vfs works everywhere but copies each layer, so it keeps none.
driver=overlay layers=true
# Two builds that are compared start from scratch and are not kept.
[[ ${1:-} != reproducible ]] || images=$work/images layers=false
bud info >/dev/null 2>&1 || driver=vfs layers=false
# Remains of a check that was killed.
bud umount --all >/dev/null 2>&1 || true
bud rm --all >/dev/null 2>&1 || true

if ! bud inspect --type image holdfast-base:check >/dev/null 2>&1; then
  log=$work/import.log
  base_container=$(bud from scratch)
  bud add "$base_container" "$base" / >/dev/null 2>"$log"
  bud commit --rm "$base_container" holdfast-base:check >/dev/null 2>>"$log"
fi

mkdir -p "$work/bin"
# crun 1.8 refuses hybrid control groups, and not every container that hosts this check can raise limits.
cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
# Podman may choose the older CNI, which does not resolve the services' names.
[network]
network_backend = "netavark"
network_config_dir = "$work/networks"
CONF
# Podman reads the built images and keeps everything else apart. A surviving process must not hold the lock.
cat >"$work/bin/podman" <<SH
#!/bin/sh
export CONTAINERS_CONF=$work/containers.conf
exec $(command -v podman) --root $work/storage --runroot $(podman_state "$work") --storage-driver $driver \
  --storage-opt $driver.imagestore=$images "\$@" 9>&-
SH
chmod +x "$work/bin/podman"
podman() { "$work/bin/podman" "$@"; }

# compose.yaml and the pods need a network with a name server, and limits.
podman run --rm --pull never --memory 64m --pids-limit 64 localhost/holdfast-base:check true >"$work/podman.log" 2>&1 ||
  cannot_run "podman starts no container: $(tail -n 1 "$work/podman.log")"
