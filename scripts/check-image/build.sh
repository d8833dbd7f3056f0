# Builds the image, its variant with VMAF and that of the transcriber over the base. Sourced by ../check-image.sh; reads project, work, base, image,
# layers; uses say, fail, bud; sets log, container, root, uid, and image_… from the image's own metadata.

say 'building the Dockerfile'
# Empty if this machine has no authority of its own.
cat "${PIP_CERT:-/dev/null}" >"$work/authorities"
# build_image <tag> [<option>…]: uses Docker's format, because the OCI format has no HEALTHCHECK. Independent stages are
# built in parallel.
build_image() {
  log=$work/build.log
  bud build --isolation chroot --format docker --pull-never --layers="$layers" --jobs 2 --build-arg BASE_IMAGE=localhost/holdfast-base:check \
    --secret "id=npmrc,src=$work/npmrc" --secret "id=authorities,src=$work/authorities" --tag "$@" "$project" >"$log" 2>&1 ||
    fail 'the image does not build.'
}
build_image "$image"
build_image "$image-vmaf" --target vmaf
build_image "$image-transcriber" --target transcriber

container=$(bud from --pull-never "$image")
root=$(bud mount "$container")

# The image's own settings, one NUL-terminated item each.
settings() {
  # shellcheck disable=SC2016 # JavaScript
  bud inspect --type image "$image" | node -e '
    const { Docker: { config } } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const item = process.argv[1];
    const list = item === "Healthcheck" ? (config.Healthcheck?.Test ?? []).slice(1) : [config[item] ?? []].flat();
    process.stdout.write(list.map((text) => `${text}\0`).join(""));
  ' "$1"
}
mapfile -d '' -t image_env < <(settings Env)
mapfile -d '' -t image_entrypoint < <(settings Entrypoint)
mapfile -d '' -t image_cmd < <(settings Cmd)
mapfile -d '' -t image_health < <(settings Healthcheck)
mapfile -d '' -t image_user < <(settings User)
mapfile -d '' -t image_folder < <(settings WorkingDir)
uid=${image_user[0]%%:*}
[[ $uid =~ ^[1-9][0-9]*$ ]] || fail "the image's user is '${image_user[0]:-}': it must be a number other than 0."
((${#image_health[@]} > 0)) || fail 'the image has no HEALTHCHECK.'
# Largest size of the image, in MiB (docs/image.md).
max_size=550
# size_of <image>: its unpacked size in MiB.
size_of() { du -smx --apparent-size "$(bud mount "$(bud from --pull-never "$1")")" | cut -f1; }
image_size=$(size_of "$image")
say "image: $image_size MiB unpacked; with VMAF $(size_of "$image-vmaf") MiB; the transcriber's $(size_of "$image-transcriber") MiB"
((image_size <= max_size)) || fail "the image has $image_size MiB: at most $max_size MiB are allowed."
