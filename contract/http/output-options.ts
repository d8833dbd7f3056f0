import { z } from 'zod';
import { AudioOptions, TableName, Track } from './audio.ts';
import { checkOptionsShape } from './checks.ts';
import { RequestedLoudness } from './loudness.ts';
import { orFalse } from './or-false.ts';
import { orList } from './or-list.ts';
import { packageOptionsShape, PackageTrack } from './package.ts';
import { Silence } from './silence.ts';
import { ContainerSubtitles } from './subtitles.ts';
import { containerTagOptions } from './tags.ts';
import { VideoOptions } from './video.ts';
import { ContainerWatermark } from './watermark.ts';

/** Eleven days are more than any source may have. */
const Seconds = z.number().min(0).max(1e6);

/** Seconds of the source. */
const RequestedTrim = z
  .strictObject({ start: Seconds.optional(), end: Seconds.optional() })
  .refine(({ start = 0, end }) => end === undefined || end > start, { error: 'must come after start', path: ['end'] });
export type RequestedTrim = z.infer<typeof RequestedTrim>;

/** Seconds of the output, from its beginning and before its end. */
const Fade = z.strictObject({ in: Seconds.optional(), out: Seconds.optional() });
export type Fade = z.infer<typeof Fade>;

/** Fields of an output beside the name of a format or preset. A request overrides those of its preset. */
export const outputOptionsShape = {
  container: TableName.optional(),
  /** `false`: no sound. */
  audio: orFalse(orList(AudioOptions, PackageTrack)).optional(),
  /** `false`: no pictures. */
  video: orFalse(VideoOptions).optional(),
  loudness: RequestedLoudness.optional(),
  ...containerTagOptions,
  watermark: ContainerWatermark.optional(),
  subtitles: ContainerSubtitles.optional(),
  /** An MP4 in fragments, which is played by Media Source Extensions and read before all of it is there. */
  fragmented: z.boolean().optional(),
  ...packageOptionsShape,
  track: Track.optional(),
  trim: RequestedTrim.optional(),
  fade: Fade.optional(),
  silence: Silence.optional(),
  /** `speech`: speakers that are not equally loud become so. */
  level: z.enum(['none', 'speech']).optional(),
  ...checkOptionsShape,
};
