import type { Gate } from './gate.ts';

/** Faults in the image. Each builds and runs an image of its own, which takes minutes. */
export const imageGates: readonly Gate[] = [
  {
    check: 'bash scripts/check-image.sh',
    faults: {
      Dockerfile: [
        ['COPY server ./server\n', ''],
        ['COPY client ./client\n', ''],
        ['COPY --from=page /app/page/dist ./page/dist\n', ''],
        [' ! -name "packager-linux-$(node -p process.arch)"', ''],
        ['&& rm -rf @temporalio/core-bridge/sdk-core', '&& rm -rf dejavu-fonts-ttf @temporalio/core-bridge/sdk-core'],
        ['COPY --from=vmaf /usr/local/bin/vmaf-ffmpeg /usr/local/bin/vmaf-ffmpeg\n', ''],
        ['USER 1000:1000\n', ''],
        ['"/usr/local/bin/holdfast", "health"', '"/usr/local/bin/holdfast", "healthy"'],
      ],
    },
  },
];
