import { z } from 'zod';
import { SourceIdentity } from './source.ts';
import { ContainerSourceUrl } from './url.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex digits' });

/** Pictures of the film, from 0; `to` is exclusive. */
const segmentRange = { from: z.number().int().min(0), to: z.number().int().min(1) };
const SegmentRange = z.object(segmentRange);
export type SegmentRange = z.infer<typeof SegmentRange>;

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

const SegmentLink = z.strictObject({ url: ContainerSourceUrl, sha256: Sha256 });

/**
 * The part of an encode that a job does for a run that is spread over containers (docs/reference/spread.md). The other
 * fields of the request are those of the whole encode.
 */
export const EncodePart = z.discriminatedUnion('kind', [
  /** Divides the films into segments. */
  z.strictObject({
    kind: z.literal('plan'),
    /** A shorter film is not divided. */
    leastSeconds: z.number().min(0),
    /** Wanted number of segments, within these lengths. */
    segments: z.number().int().min(1),
    segmentSeconds: z.strictObject({ least: z.number().min(1), most: z.number().max(600) }),
  }),
  /** Encodes the pictures of one segment. */
  z.strictObject({
    kind: z.literal('segment'),
    ...segmentRange,
    source: SourceIdentity,
    /** Undefined: the segment reads the whole source. */
    opening: SourceOpening.optional(),
    /** Encoders of the plan; a container with others refuses the segment. */
    encoder: z.string().optional(),
  }),
  /** Makes the outputs from the segments, and everything else from the source. */
  z.strictObject({
    kind: z.literal('join'),
    source: SourceIdentity,
    /** The files of each segment, in order: one for each film. */
    segments: z.array(z.array(SegmentLink).min(1)).min(2),
  }),
]);
export type EncodePart = z.infer<typeof EncodePart>;

/** A stored file of a segment: the pictures of one film. */
const SegmentFile = z.object({
  name: z.string(),
  /** bytes */
  size: z.number().int(),
  sha256: Sha256,
  frames: z.number().int(),
});
export type SegmentFile = z.infer<typeof SegmentFile>;

/** Result of a part that makes no output. */
export const PartResult = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('plan'),
    segments: z.array(SegmentRange),
    films: z.number().int(),
    opening: SourceOpening.optional(),
    /** Identifies the encoders of the container: their build, and the kind of processor. */
    encoder: z.string().optional(),
  }),
  /** `reason`: why one container encodes the films, as a sentence without its full stop. */
  z.object({ kind: z.literal('whole'), reason: z.string() }),
  z.object({ kind: z.literal('segment'), files: z.array(SegmentFile) }),
]);
export type PartResult = z.infer<typeof PartResult>;
