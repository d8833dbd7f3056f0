import { z } from 'zod';
import { AudioOptions, TableName, Track } from './audio.ts';
import { checkOptionsShape } from './checks.ts';
import { RequestedLoudness } from './loudness.ts';
import { orFalse, orList } from './either.ts';
import { packageOptionsShape, PackageTrack } from './package.ts';
import { Silence } from './silence.ts';
import { ContainerSubtitles } from './subtitles.ts';
import { containerTagOptions } from './tags.ts';
import { VideoOptions } from './video.ts';
import { ContainerWatermark } from './watermark.ts';

/** Eleven days; no source may be longer. */
const Seconds = z.number().min(0).max(1e6);

/** Seconds of the source. */
const RequestedTrim = z
  .strictObject({ start: Seconds.optional(), end: Seconds.optional() })
  .refine(({ start = 0, end }) => end === undefined || end > start, { error: 'must come after start', path: ['end'] });
export type RequestedTrim = z.infer<typeof RequestedTrim>;

/** Fade lengths in seconds, at the start and end of the output. */
const Fade = z.strictObject({ in: Seconds.optional(), out: Seconds.optional() });
export type Fade = z.infer<typeof Fade>;

/** Fields of an output in addition to its format or preset. A request overrides those of its preset. */
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
  /** A fragmented MP4, which Media Source Extensions play and readers can parse before it is complete. */
  fragmented: z.boolean().optional(),
  ...packageOptionsShape,
  track: Track.optional(),
  trim: RequestedTrim.optional(),
  fade: Fade.optional(),
  silence: Silence.optional(),
  /** `speech`: evens out the loudness of speakers. */
  level: z.enum(['none', 'speech']).optional(),
  ...checkOptionsShape,
};
