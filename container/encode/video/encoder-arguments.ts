import type { PixelFormat } from '../../../contract/video-codecs.ts';
import { valueOf } from './rational.ts';
import type { VideoPlan } from './video-plan.ts';

/** Of time between two key frames where none is asked for. */
const mostKeyframeSeconds = 10;

/** A rate control that may spend two seconds of its bitrate at once: what players buffer at least. */
const bufferSeconds = 2;

/** Pictures between two key frames, and whether exactly so many. Of a variable rate: by the clock. */
function keyframeArguments({ timing, keyframeSeconds }: VideoPlan): {
  distance: number;
  isFixed: boolean;
  forced: string[];
} {
  const isFixed = keyframeSeconds !== undefined;
  if (timing.kind === 'constant') {
    const distance = Math.max(1, Math.round((keyframeSeconds ?? mostKeyframeSeconds) * valueOf(timing.fps)));
    return { distance, isFixed, forced: [] };
  }
  const forced = isFixed ? ['-force_key_frames', `expr:gte(t,n_forced*${keyframeSeconds})`] : [];
  // Few pictures may take long, so the clock alone decides where it is asked.
  return { distance: isFixed ? 9999 : 250, isFixed, forced };
}

const h264Presets = { fast: 'veryfast', medium: 'medium', slow: 'slow' } as const;

const h264Profiles: Record<PixelFormat, string> = {
  yuv420p: 'high',
  yuv422p: 'high422',
  yuv444p: 'high444',
  yuv420p10le: 'high10',
  yuv422p10le: 'high422',
  yuv444p10le: 'high444',
};

function h264Arguments(plan: VideoPlan): string[] {
  const { distance, isFixed } = keyframeArguments(plan);
  const { maxBitrate } = plan;
  return [
    ...['-c:v', 'libx264', '-preset', h264Presets[plan.speed], '-crf', String(plan.crf)],
    ...['-profile:v', h264Profiles[plan.pixelFormat]],
    ...(maxBitrate === undefined ? [] : ['-maxrate', `${maxBitrate}k`, '-bufsize', `${bufferSeconds * maxBitrate}k`]),
    ...['-g', String(distance), ...(isFixed ? ['-keyint_min', String(distance), '-sc_threshold', '0'] : [])],
  ];
}

/** ffmpeg's arguments for the encoder of an output's pictures (pure). */
export function encoderArguments(plan: VideoPlan): string[] {
  const { timing } = plan;
  const { forced } = keyframeArguments(plan);
  const clock = timing.kind === 'variable' ? ['-enc_time_base', `${timing.timeBase.num}:${timing.timeBase.den}`] : [];
  return [...encoderOf(plan), ...forced, ...['-threads', String(plan.threads), '-flags:v', '+cgop'], ...clock];
}

function encoderOf(plan: VideoPlan): string[] {
  switch (plan.codec) {
    case 'h264':
      return h264Arguments(plan);
  }
}
