import { z } from 'zod';
import { LoudnessFacts } from './loudness.ts';
import { SourceIdentity } from './source.ts';
import { ContainerSourceUrl } from './url.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex digits' });

/** Pictures of the film, or milliseconds of sound without pictures, from 0; `to` is exclusive. */
const segmentRange = { from: z.number().int().min(0), to: z.number().int().min(1) };
const SegmentRange = z.object(segmentRange);
export type SegmentRange = z.infer<typeof SegmentRange>;

/** An encoder gets fewer pictures before and after its segment. */
const mostBorders = 1000;

/** Bytes of the source; `end` is the first byte after them. */
const ByteRange = z.strictObject({ from: z.number().int().min(0), end: z.number().int().min(1) });

/** Most byte ranges of a segment: its head, its packets, and the rest of an index in several places. */
export const mostByteRanges = 32;

/**
 * Borders of other segments among the pictures that the encoders of a segment also get, where they also have key
 * frames; undefined: there are none.
 */
const borders = z.array(z.number().int().min(1)).max(mostBorders).optional();

/** Bytes that a segment needs, if the index of the source does not name its packets. */
const bytes = z.array(ByteRange).min(1).max(mostByteRanges).optional();

/** Longer times would make the history of a run too large: each of its segments has them. */
export const mostTimesLength = 64 * 1024;

/** Times of all pictures, packed, beside the bytes of segments. */
const times = z.string().max(mostTimesLength).optional();

const FieldOrder = z.enum(['upper first', 'lower first']);

/** What a segment must know of the source to read only a part of it. */
const SourceOpening = z.strictObject({
  /** Digest of the plan and the times of all pictures. A segment that finds another digest reads the whole source. */
  digest: Sha256,
  /** How the pictures were made. Measured at several places of the film; undefined if the pictures do not reveal it. */
  scan: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('progressive') }),
      z.strictObject({ kind: z.enum(['interlaced', 'telecined', 'mixed']), order: FieldOrder }),
    ])
    .optional(),
});

const count = z.number().int().min(0);

/**
 * Digest of what segments and sound are made from beside the source: the settings of the outputs, watermarks and burnt
 * subtitles. All must be made from the same.
 */
const inputsSha256 = Sha256.optional();

/** Rate factors that the plan found for the quality targets of the films, in order; null: the film has no target. */
const crfs = z.array(z.number().nullable()).optional();

/** Place of a file in the sound of an output. Frames are those of the codec. */
const SegmentSound = z.strictObject({
  /** Index among the files with sound that the job makes. */
  file: count,
  /** Frame at which the segment's own part starts. */
  cut: count,
  /** Frames before it in the file. */
  runIn: count,
  /** Samples per channel that entered the encoder. */
  samples: count,
  /** Gaps in the source's timestamps were filled, or overlaps dropped. */
  isMended: z.boolean(),
  /** Several encoders on the container made the file. These are their seams, by frames of the file. */
  seams: z.strictObject({ exact: count, matched: count }),
  seamFrames: z.array(count),
});
export type SegmentSound = z.infer<typeof SegmentSound>;

/** How the whole sound of an output was made. */
const MadeSound = z.strictObject({
  seconds: z.number(),
  isMended: z.boolean(),
  segments: z.number().int().min(1),
  seams: z.strictObject({ exact: count, matched: count }),
  seamFrames: z.array(count),
  loudness: LoudnessFacts.optional(),
});
export type MadeSound = z.infer<typeof MadeSound>;

const SoundLink = z.strictObject({ url: ContainerSourceUrl, sha256: Sha256, made: MadeSound });
export type SoundLink = z.infer<typeof SoundLink>;

const SegmentLink = z.strictObject({ url: ContainerSourceUrl, sha256: Sha256, sound: SegmentSound.optional() });
export type SegmentLink = z.infer<typeof SegmentLink>;

/**
 * The part of an encode that a job does for a run that is spread over containers (docs/reference/spread.md). The other
 * fields of the request are those of the whole encode.
 */
export const EncodePart = z.discriminatedUnion('kind', [
  /** Divides the films, or the sound if there are none, into segments. */
  z.strictObject({
    kind: z.literal('plan'),
    /** A shorter film or recording is not divided. */
    leastSeconds: z.number().min(0),
    /** Wanted number of segments, within these lengths. */
    segments: z.number().int().min(1),
    segmentSeconds: z.strictObject({ least: z.number().min(1), most: z.number().max(600) }),
  }),
  /** Encodes the pictures or the sound of one segment. */
  z.strictObject({
    kind: z.literal('segment'),
    ...segmentRange,
    ...{ borders, bytes, times },
    source: SourceIdentity,
    /** Undefined: the segment reads the whole source. */
    opening: SourceOpening.optional(),
    /** Encoders of the plan; a container with others refuses the segment. */
    encoder: z.string().optional(),
    inputsSha256,
    crfs,
  }),
  /** Encodes the sound beside films, whole and at its loudness. */
  z.strictObject({ kind: z.literal('sound'), source: SourceIdentity, inputsSha256 }),
  /** Makes the outputs from the segments, and everything else from the source. */
  z.strictObject({
    kind: z.literal('join'),
    source: SourceIdentity,
    /** The files of each segment, in order: one for each film, or each output with sound that is divided. */
    segments: z.array(z.array(SegmentLink).min(1)).min(2),
    /** The files of the part `sound`, in order. Undefined: the join encodes the sound. */
    sounds: z.array(SoundLink).optional(),
    crfs,
  }),
]);
export type EncodePart = z.infer<typeof EncodePart>;

/** A stored file of a segment: the pictures of one film, or the sound of one output. */
const SegmentFile = z.object({
  name: z.string(),
  /** bytes */
  size: z.number().int(),
  sha256: Sha256,
  /** Length of the segment, in the units of its range. */
  frames: z.number().int(),
  sound: SegmentSound.optional(),
});
export type SegmentFile = z.infer<typeof SegmentFile>;

/** Stored whole sound of an output. */
const SoundFile = z.object({ name: z.string(), size: z.number().int(), sha256: Sha256, made: MadeSound });
export type SoundFile = z.infer<typeof SoundFile>;

/** Result of a part that makes no output. */
export const PartResult = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('plan'),
    segments: z.array(SegmentRange.extend({ borders, bytes })),
    times,
    /** Files of each segment. */
    films: z.number().int(),
    /** Files of the part `sound`; undefined: there is no such part. */
    sounds: z.number().int().min(1).optional(),
    opening: SourceOpening.optional(),
    /** Identifies the encoders of the container: their build, and the kind of processor. */
    encoder: z.string().optional(),
    inputsSha256,
    crfs,
  }),
  /** `reason`: why one container encodes everything, as a sentence without its full stop. */
  z.object({ kind: z.literal('whole'), reason: z.string() }),
  z.object({ kind: z.literal('segment'), files: z.array(SegmentFile) }),
  z.object({ kind: z.literal('sound'), files: z.array(SoundFile) }),
]);
export type PartResult = z.infer<typeof PartResult>;
