# One image, three roles: `docker run <image>` is the encoding container, `docker run <image> worker` the Temporal worker, and
# `docker run <image> server` the server with its page. `docker run <image> runs` and its like are the command line.
# The image runs with a read-only root file system, no capabilities and one writable folder, /scratch.
#
# `docker build --target vmaf` builds a variant that also measures the quality of pictures, and is 165 MiB larger.
# `docker build --target transcriber` builds a second image: the transcriber of the keys `local/<model>`, with its model.

ARG BASE_IMAGE=node:24-bookworm-slim

# Debian packages of all roles; they change least, so they come first.
FROM ${BASE_IMAGE} AS debian
# Debian's ffmpeg pulls in graphics drivers through its display devices. Nothing links to these files, they are loaded
# only to draw on a screen or to use an Intel video chip; leaving them out saves 190 MB and keeps dpkg's records whole.
RUN printf 'path-exclude=/usr/lib/*/%s\n' 'libLLVM-*' 'libz3.so*' 'dri/*' 'libmfxhw64*' 'mfx/*' \
      > /etc/dpkg/dpkg.cfg.d/holdfast \
 && apt-get update \
 # ca-certificates: Temporal's native client trusts the system's roots (Node brings its own).
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates ffmpeg tini \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
 # These files contain times and inodes, which differ between builds; nothing here reads them.
 && rm -rf /var/cache/fontconfig/* /var/cache/ldconfig/aux-cache \
 # No program can change its user, even without no-new-privileges.
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 # A volume mounted over either folder starts as a copy of it, including its owner.
 && install -d -o 1000 -g 1000 -m 0750 /scratch \
 && install -d -o 1000 -g 1000 /media

# Node's symbols are for debuggers; its add-ons link to others.
FROM debian AS node
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends binutils \
 && strip --strip-all -o /tmp/node /usr/local/bin/node

FROM debian AS system
COPY --from=node /tmp/node /usr/local/bin/node
# npm, Node's headers, libraries to which nothing links, and keyboards, file types and fonts of a desktop. Holdfast
# draws with its own fonts alone (engine/ffmpeg/fonts.conf).
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /usr/local/share/doc /usr/local/share/man /opt/yarn* \
      /usr/share/X11 /usr/share/mime /usr/share/fonts \
 && find /usr/local/bin -mindepth 1 ! -name node -delete \
 && cd /usr/lib/*-linux-gnu \
 && rm -rf libicui18n.so* libflite_cmu_time_awb.so* libflite_cmu_grapheme_lex.so* libhwy_contrib.so* libmfx-tracer.so* \
 && ffmpeg -version >/dev/null \
 && ffprobe -version >/dev/null

FROM ${BASE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The secret is for registries that need a login or their own authority: --secret id=npmrc,src=$HOME/.npmrc
# Install scripts are not needed: the packages contain Temporal's bridge and swc prebuilt.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts

FROM packages AS bundle
COPY contract ./contract
COPY codec ./codec
COPY network ./network
COPY stores ./stores
COPY process ./process
COPY tracing ./tracing
COPY workflows ./workflows
COPY activities ./activities
COPY worker ./worker
RUN node worker/bundle.ts /app/bundle/workflows.js

# Used only during the build: nothing that is installed here goes into the image.
FROM packages AS page
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts
COPY tsconfig.json ./
COPY contract ./contract
COPY api-client ./api-client
COPY page ./page
RUN node node_modules/vite/bin/vite.js build page --logLevel warn

FROM packages AS production
COPY scripts/npm-folders.mjs scripts/image-packages.mjs /tmp/
# Removes packages and files that are unused at run time: bundlers, Temporal's bridge for other platforms and its Rust
# sources, tests of packages with their media, packagers for other platforms, type declarations and source maps.
RUN node /tmp/image-packages.mjs \
 && keep="$(uname -m)-unknown-linux-gnu" \
 && cd node_modules \
 && test -d "@temporalio/core-bridge/releases/${keep}" \
 && find @temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "${keep}" -exec rm -r {} + \
 && rm -rf @temporalio/core-bridge/sdk-core @temporalio/*/src fluent-ffmpeg/coverage rxjs/src \
 && rm -rf */test @*/*/test ssh2/examples undici/docs zod/src \
 && find shaka-packager/bin -type f ! -name "packager-linux-$(node -p process.arch)" -delete \
 && find . -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete

FROM debian AS pip
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-pip

FROM pip AS vmaf-ffmpeg
COPY scripts/setup/vmaf-requirements.txt /tmp/
# The secret is an authority for a registry that has its own: --secret id=authorities,src=…
RUN --mount=type=secret,id=authorities,target=/run/secrets/authorities \
    if [ -s /run/secrets/authorities ]; then export PIP_CERT=/run/secrets/authorities; fi \
 && pip3 install --quiet --target /vmaf --no-cache-dir --no-deps --only-binary :all: --require-hashes -r /tmp/vmaf-requirements.txt \
 && install -m 0755 /vmaf/imageio_ffmpeg/binaries/ffmpeg-* /usr/local/bin/vmaf-ffmpeg

FROM pip AS transcriber-packages
COPY transcriber/requirements.txt /tmp/
# The root is read-only at run time, so the modules are compiled here. Digests instead of times keep the build reproducible.
RUN --mount=type=secret,id=authorities,target=/run/secrets/authorities \
    if [ -s /run/secrets/authorities ]; then export PIP_CERT=/run/secrets/authorities; fi \
 && pip3 install --quiet --target /packages --no-cache-dir --no-compile --no-deps --only-binary :all: --require-hashes -r /tmp/requirements.txt \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /packages

FROM ${BASE_IMAGE} AS transcriber-system
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 tini \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
 && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 # Further models are mounted here.
 && install -d /models
WORKDIR /app
# Debian's Python finds packages in this folder.
COPY --from=transcriber-packages /packages /usr/local/lib/python3.11/dist-packages
COPY package.json LICENSE transcriber/*.py ./
COPY scripts/image-sbom.mjs scripts/npm-folders.mjs scripts/npm-license.mjs scripts/python-packages.mjs /tmp/
# Nothing here needs Node after that.
RUN node /tmp/image-sbom.mjs holdfast-transcriber python3 tini >sbom.cdx.json \
 && rm -rf /tmp/*.mjs /app/package.json /usr/local/bin/* /usr/local/lib/node_modules /usr/local/include /opt/yarn*

FROM scratch AS transcriber
LABEL org.opencontainers.image.title="Holdfast transcriber" \
      org.opencontainers.image.description="Speech to text for Holdfast, with faster-whisper and Whisper tiny.en" \
      org.opencontainers.image.licenses="MIT"
COPY --from=transcriber-system / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /app
USER 1000:1000
EXPOSE 9000
ENTRYPOINT ["/usr/bin/tini", "--", "python3", "-B", "/app/server.py", "--host", "0.0.0.0", "--port", "9000", "--models", "/models"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python3", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:9000/health', timeout=4)"]

# One layer, without the files that the stages before have removed.
FROM scratch AS image
LABEL org.opencontainers.image.title=Holdfast \
      org.opencontainers.image.description="FFmpeg encoding container with durable, retrying Temporal workflows" \
      # Holdfast's own, and those of the programs for media. /app/sbom.cdx.json lists the licences of all parts.
      org.opencontainers.image.licenses="MIT AND GPL-2.0-or-later AND GPL-3.0-or-later"
COPY --from=system / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /app
COPY --chmod=0755 scripts/image-entrypoint.sh /usr/local/bin/holdfast
COPY --from=production /app/node_modules ./node_modules
COPY --from=bundle /app/bundle ./bundle
COPY package.json LICENSE ./
COPY contract ./contract
COPY codec ./codec
COPY network ./network
COPY stores ./stores
COPY process ./process
COPY tracing ./tracing
COPY engine ./engine
COPY container ./container
COPY activities ./activities
COPY worker ./worker
COPY client ./client
COPY server ./server
COPY cli ./cli
COPY --from=page /app/page/dist ./page/dist

# Software bill of materials (CycloneDX). Texts of the licences: /usr/share/doc/*/copyright for Debian, LICENSE in each
# npm package.
COPY scripts/image-sbom.mjs scripts/npm-folders.mjs scripts/npm-license.mjs scripts/python-packages.mjs /tmp/
RUN node /tmp/image-sbom.mjs holdfast ca-certificates ffmpeg tini >sbom.cdx.json && rm /tmp/*.mjs

ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    SCRATCH_DIR=/scratch \
    WORKFLOW_BUNDLE=/app/bundle/workflows.js

# A number, so that Kubernetes can tell that the user is not root. The base image calls it `node`.
USER 1000:1000
VOLUME /scratch
EXPOSE 8080 8088

# PID 1 reaps orphans of ffmpeg and passes SIGTERM only to Node, which decides how its ffmpeg ends.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/holdfast"]
CMD ["container"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/local/bin/holdfast", "health"]

# The variant for `quality`, `target` and `perTitle`: an ffmpeg that only measures the quality of pictures.
FROM image AS vmaf
USER 0:0
COPY --from=vmaf-ffmpeg /usr/local/bin/vmaf-ffmpeg /usr/local/bin/vmaf-ffmpeg
COPY scripts/image-sbom.mjs scripts/npm-folders.mjs scripts/npm-license.mjs scripts/python-packages.mjs /tmp/
RUN node /tmp/image-sbom.mjs holdfast-vmaf ca-certificates ffmpeg tini >sbom.cdx.json && rm /tmp/*.mjs
ENV VMAF_FFMPEG_PATH=/usr/local/bin/vmaf-ffmpeg
USER 1000:1000

# `docker build` without a target builds the last stage.
FROM image
