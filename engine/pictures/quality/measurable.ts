import type { CheckOptions } from '../../../contract/http/checks.ts';
import type { OutputSettings } from '../../../contract/output-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { pixelFormats } from '../../../contract/video-codecs.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import { orUnsupported } from '../../unsupported.ts';
import type { VideoPlan } from '../../plan/video-plan.ts';

export const isMeasured = ({ quality, target }: CheckOptions): boolean => quality === true || target !== undefined;

function needsVmaf(output: OutputSettings): boolean {
  switch (output.kind) {
    case 'file':
      return isMeasured(output.checks);
    case 'package':
      return output.isPerTitle;
    case 'analysis':
    case 'image':
      return false;
  }
}

/** Throws if this machine cannot measure. */
export function checkMeasurable(output: OutputSettings, { hasVmaf }: Pick<PictureLimits, 'hasVmaf'>): void {
  if (!needsVmaf(output) || hasVmaf) return;
  orUnsupported(() => {
    throw new UnsupportedOutput(
      output,
      'quality cannot be measured here; use the variant "vmaf" of the image, install an ffmpeg with libvmaf by "npx holdfast setup-vmaf", or name one in VMAF_FFMPEG_PATH, and restart the encoding service',
    );
  });
}

/** libvmaf crashes on smaller pictures (SIGSEGV, ffmpeg 9.0.2). */
const leastSide = 18;

/** Throws if libvmaf cannot compare such pictures. */
export function checkComparable(output: OutputNaming, { pixelFormat, shape }: VideoPlan): void {
  const { width, height } = shape.size;
  if (Math.min(width, height) < leastSide) {
    throw new UnsupportedOutput(
      output,
      `quality is measured only for pictures of at least ${leastSide} pixels on each side, and these have ${width}x${height}`,
    );
  }
  if (pixelFormats.some((name) => name === pixelFormat)) return;
  throw new UnsupportedOutput(
    output,
    `quality is measured only for ${pixelFormats.join(', ')}, and not for ${pixelFormat}`,
  );
}
