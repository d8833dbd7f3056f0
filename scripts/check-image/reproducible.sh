# Compares the files of two builds of the image: `npm run check:image -- reproducible`. Sourced by ../check-image.sh
# after the first build; reads project, work, image, root; uses say, fail, bud, build_image. It compares paths, kinds,
# modes, owners, links, sizes and digests. Times differ even in a registry's own base images.

# list_files <root>: prints one line for each path's metadata and one for each file's contents.
list_files() (
  cd "$1"
  export LC_ALL=C
  find . -xdev \( -type f -printf '%p\tfile %m %U:%G %s bytes\n' -o -printf '%p\t%y %m %U:%G %l\n' \) | sort
  find . -xdev -type f -print0 | sort -z | xargs -0 sha256sum --zero | tr '\0' '\n' | sed -E 's/^([0-9a-f]{64})  (.*)$/\2\tsha256 \1/'
)

list_files "$root" >"$work/first.list"
say 'building it again, from nothing'
build_image "$image-again"
again=$(bud mount "$(bud from --pull-never "$image-again")")
list_files "$again" >"$work/second.list"
files=$(grep -c $'\tfile ' "$work/second.list")
log=$work/differences.log
if ! diff "$work/first.list" "$work/second.list" >"$log"; then
  # KEEP_DIFFERING=<folder> keeps the differing files for a person to compare.
  if [[ -n ${KEEP_DIFFERING:-} ]]; then
    grep -oE '^[<>] [^'$'\t'']+' "$log" | cut -c3- | sort -u | while read -r path; do
      for side in first:"$root" second:"$again"; do
        [[ ! -f ${side#*:}/$path ]] || install -D "${side#*:}/$path" "$KEEP_DIFFERING/${side%%:*}/$path"
      done
    done
  fi
  fail "$(grep -oE '^[<>] [^'$'\t'']+' "$log" | cut -c3- | sort -u | wc -l) paths differ in two builds."
fi
say "reproducible: $files files, with the same paths, modes, owners, sizes and digests in both builds"
