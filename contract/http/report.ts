import { z } from 'zod';
import { MediaFacts } from './media.ts';

/** dBFS; null: silence */
const Level = z.number().nullable();
const Seconds = z.number();

const ReportLoudness = z.object({
  /** LUFS; null: silence, or less than 400 ms */
  integrated: z.number().nullable(),
  /** dBTP; null: silence */
  truePeak: z.number().nullable(),
  /** LU (EBU Tech 3342) */
  range: z.number(),
  /** The loudest 400 ms and 3 s, in LUFS. */
  greatestMomentary: z.number().nullable(),
  greatestShortTerm: z.number().nullable(),
  /** The loudest window that ends in each interval. */
  curve: z.object({
    /** seconds from one point to the next */
    interval: z.number(),
    /** LUFS of 400 ms; null: no sound, or nothing before it */
    momentary: z.array(z.number().nullable()),
    /** LUFS of 3 s */
    shortTerm: z.array(z.number().nullable()),
  }),
});

const ChannelFacts = z.object({
  /** Level of the highest sample. */
  peak: Level,
  rms: Level,
  /** The mean of all samples, as a share of full scale: -1 to 1. */
  dcOffset: z.number(),
});

const Clipping = z.object({
  /** runs of three samples or more */
  count: z.number().int(),
  /** Samples in these runs. */
  samples: z.number().int(),
  /** The first of them. */
  places: z.array(z.object({ channel: z.number().int(), start: Seconds, samples: z.number().int() })),
});

const Silences = z.object({
  /** dBFS; no sample of any channel is higher */
  threshold: z.number(),
  /** seconds */
  shortest: z.number(),
  count: z.number().int(),
  /** seconds of all together */
  seconds: z.number(),
  /** The longest, by time. */
  places: z.array(z.object({ start: Seconds, end: Seconds })),
});

/** Stereo correlates between 0 and 1, wide stereo about 0. Sound below this loses more in mono than it keeps. */
export const outOfPhaseCorrelation = -0.3;

const Stereo = z.object({
  /**
   * `mono`: both channels have the same. `inverted`: one is, more or less, the other turned upside down. `one_sided`: one is silent.
   * `silent`: both are.
   */
  kind: z.enum(['stereo', 'mono', 'inverted', 'one_sided', 'silent']),
  /** -1 to 1; null where a channel is silent */
  correlation: z.number().nullable(),
  /** so many of its seconds are below `outOfPhaseCorrelation` */
  outOfPhaseSeconds: z.number().int(),
  /** The worst of the seconds below 0, by time. */
  worst: z.array(z.object({ start: Seconds, correlation: z.number() })),
});

const Bandwidth = z.object({
  /** Highest frequency with sound, in Hz. */
  frequency: z.number(),
  /** Hz at which it ends as if cut off */
  cutoff: z.number().optional(),
  /** It ends as an encoder would have cut it, whatever the file is now; and where the source itself is lossy. */
  probablyLossy: z.boolean(),
  /** kbit/s of an mp3 that ends there */
  resemblesBitrate: z.number().optional(),
});
export type BandwidthFacts = z.infer<typeof Bandwidth>;

/** What `{"analysis": "report"}` writes of sound (docs/reference/analyses-and-images.md, "Report"). */
export const AudioReport = z.object({
  version: z.literal(1),
  /** ffprobe's names. */
  source: z.object({ format: z.string(), codec: z.string(), isLossy: z.boolean() }),
  /** The file with all its streams. Optional, since reports of other versions have none. */
  file: MediaFacts.optional(),
  /** seconds */
  duration: z.number(),
  channels: z.number().int(),
  /** Hz */
  sampleRate: z.number().int(),
  loudness: ReportLoudness,
  /** Channels in the order of the source. */
  levels: z.array(ChannelFacts),
  clipping: Clipping,
  silence: Silences,
  /** Two channels only. */
  stereo: Stereo.optional(),
  /** dBFS; null: digital silence throughout */
  noiseFloor: Level,
  bandwidth: Bandwidth,
});
export type AudioReport = z.infer<typeof AudioReport>;

/** What it writes of a film without sound. */
export const SilentReport = z.strictObject({
  version: z.literal(1),
  source: z.object({ format: z.string() }),
  file: MediaFacts,
  /** seconds */
  duration: z.number(),
});
export type SilentReport = z.infer<typeof SilentReport>;

export const MediaReport = z.union([AudioReport, SilentReport]);
export type MediaReport = z.infer<typeof MediaReport>;
