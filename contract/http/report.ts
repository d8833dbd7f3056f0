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
  /** LUFS of the loudest 400 ms and 3 s. */
  greatestMomentary: z.number().nullable(),
  greatestShortTerm: z.number().nullable(),
  /** Loudest window that ends in each interval. */
  curve: z.object({
    /** seconds from one point to the next */
    interval: z.number(),
    /** LUFS of 400 ms; null: no sound, or no full window yet */
    momentary: z.array(z.number().nullable()),
    /** LUFS of 3 s */
    shortTerm: z.array(z.number().nullable()),
  }),
});

const ChannelFacts = z.object({
  /** Level of the highest sample. */
  peak: Level,
  rms: Level,
  /** Mean of all samples as a share of full scale: -1 to 1. */
  dcOffset: z.number(),
});

const Clipping = z.object({
  /** runs of three samples or more */
  count: z.number().int(),
  /** Total samples in these runs. */
  samples: z.number().int(),
  /** The first runs. */
  places: z.array(z.object({ channel: z.number().int(), start: Seconds, samples: z.number().int() })),
});

const Silences = z.object({
  /** dBFS that no sample of any channel exceeds */
  threshold: z.number(),
  /** minimum seconds of a pause */
  shortest: z.number(),
  count: z.number().int(),
  /** total seconds of all pauses */
  seconds: z.number(),
  /** The longest ones, ordered by time. */
  places: z.array(z.object({ start: Seconds, end: Seconds })),
});

/** Stereo correlates between 0 and 1, wide stereo around 0. Below this value, a mono mix loses more than it keeps. */
export const outOfPhaseCorrelation = -0.3;

const Stereo = z.object({
  /**
   * `mono`: both channels are equal. `inverted`: one is nearly the negative of the other. `one_sided`: one is silent.
   * `silent`: both are.
   */
  kind: z.enum(['stereo', 'mono', 'inverted', 'one_sided', 'silent']),
  /** -1 to 1; null if a channel is silent */
  correlation: z.number().nullable(),
  /** seconds below `outOfPhaseCorrelation` */
  outOfPhaseSeconds: z.number().int(),
  /** The worst seconds below 0, ordered by time. */
  worst: z.array(z.object({ start: Seconds, correlation: z.number() })),
});

const Bandwidth = z.object({
  /** Highest frequency with sound, in Hz. */
  frequency: z.number(),
  /** Hz of a sharp cutoff */
  cutoff: z.number().optional(),
  /** The spectrum ends as after lossy encoding, or the source itself is lossy. */
  probablyLossy: z.boolean(),
  /** kbit/s of an mp3 with the same cutoff */
  resemblesBitrate: z.number().optional(),
});
export type BandwidthFacts = z.infer<typeof Bandwidth>;

/** Sound section of `{"analysis": "report"}` (docs/reference/analyses-and-images.md, "Report"). */
export const AudioReport = z.object({
  version: z.literal(1),
  /** ffprobe's names. */
  source: z.object({ format: z.string(), codec: z.string(), isLossy: z.boolean() }),
  /** The file with all its streams. Optional: reports of older versions omit it. */
  file: MediaFacts.optional(),
  /** seconds */
  duration: z.number(),
  channels: z.number().int(),
  /** Hz */
  sampleRate: z.number().int(),
  loudness: ReportLoudness,
  /** Channels in the source's order. */
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

/** Report on a film without sound. */
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
