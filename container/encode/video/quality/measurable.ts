import type { CheckOptions } from '../../../../contract/http/checks.ts';
import { type OutputNaming, type OutputSettings, UnsupportedOutput } from '../../../../contract/output-settings.ts';
import { pixelFormats } from '../../../../contract/video-codecs.ts';
import type { PictureLimits } from '../../limits.ts';
import { orUnsupported } from '../../unsupported.ts';
import type { VideoPlan } from '../video-plan.ts';

export const isMeasured = ({ quality, target }: CheckOptions): boolean => quality === true || target !== undefined;

/** Throws where nothing here can measure. */
export function checkMeasurable(output: OutputSettings, { hasVmaf }: Pick<PictureLimits, 'hasVmaf'>): void {
  if (!isMeasured(output.checks) || hasVmaf) return;
  orUnsupported(() => {
    throw new UnsupportedOutput(
      output,
      'how good its pictures are cannot be measured here; install an ffmpeg with libvmaf by "npm run setup:vmaf", or name one in VMAF_FFMPEG_PATH, and start the encoding service again',
    );
  });
}

/** libvmaf compares no others. */
export function checkPixelFormat(naming: OutputNaming, checks: CheckOptions, { pixelFormat }: VideoPlan): void {
  if (!isMeasured(checks) || pixelFormats.some((name) => name === pixelFormat)) return;
  throw new UnsupportedOutput(
    naming,
    `how good its pictures are is measured of ${pixelFormats.join(', ')}, and not of ${pixelFormat}`,
  );
}
