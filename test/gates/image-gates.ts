import type { Gate } from './gate.ts';

/** Faults in the image. Each one builds and runs an image of its own, which takes minutes. */
export const imageGates: readonly Gate[] = [
  {
    check: 'bash scripts/check-image.sh',
    faults: {
      Dockerfile: [
        ['COPY server ./server\n', ''],
        ['COPY client ./client\n', ''],
        [
          'COPY codec ./codec\nCOPY network ./network\nCOPY stores ./stores\nCOPY process ./process\nCOPY tracing ./tracing\nCOPY engine',
          'COPY network ./network\nCOPY stores ./stores\nCOPY process ./process\nCOPY tracing ./tracing\nCOPY engine',
        ],
        ['COPY --from=page /app/page/dist ./page/dist\n', ''],
        ['COPY --from=bundle /app/bundle ./bundle\n', ''],
        // Packagers, fonts and tus.
        [' ! -name "packager-linux-$(node -p process.arch)"', ''],
        [' rxjs/src \\\n', ' rxjs/src dejavu-fonts-ttf \\\n'],
        [' rxjs/src \\\n', ' rxjs/src @tus/file-store \\\n'],
        // Debian's ffmpeg has neither libvmaf nor its model.
        ['/vmaf/imageio_ffmpeg/binaries/ffmpeg-* /usr', '/usr/bin/ffmpeg /usr'],
        ['USER 1000:1000\nVOLUME', 'VOLUME'],
        ['USER 1000:1000\nEXPOSE 9000', 'EXPOSE 9000'],
        ['"--host", "0.0.0.0", ', ''],
        ['"/usr/local/bin/holdfast", "health"', '"/usr/local/bin/holdfast", "healthy"'],
        // A library that ffmpeg uses.
        [' libmfx-tracer.so*', ' libmfx-tracer.so* libopus.so*'],
        // A file of Debian that is not Debian's any more.
        [' && ffmpeg -version', ' && printf x >>librav1e.so.0 && ffmpeg -version'],
        ['COPY --from=vmaf-ffmpeg /usr/local/bin/vmaf-ffmpeg /usr/local/bin/vmaf-ffmpeg\nCOPY', 'COPY'],
      ],
      'scripts/image-packages.mjs': [["['memfs', 'unionfs', 'webpack']", "['memfs', 'unionfs']"]],
      'scripts/python-packages.mjs': [["name.endsWith('.dist-info')", "name.endsWith('.egg-info')"]],
      'scripts/image-entrypoint.sh': [
        ['/app/server/main.ts', '/app/server/start.ts'],
        ['/app/codec/main.ts', '/app/codec/start.ts'],
      ],
      'scripts/image-sbom.mjs': [['[...npm, ...debian, ...pythonComponents', '[...npm, ...pythonComponents']],
    },
  },
];
