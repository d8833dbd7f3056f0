import { createHash } from 'node:crypto';
import type { PlacedPacket } from '../ffmpeg/packet-places.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { planEntry } from '../pictures/entry.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import { plannedSeconds, timingStart } from '../pictures/video-timing.ts';
import type { PictureSource, TimedPictures } from '../source/pictures/picture-source.ts';
import { scannedPlaces } from '../source/pictures/scan/measure-scan.ts';
import { planWindow, type SegmentRange } from './plan-spread.ts';

type PlannedFilm = Pick<PictureTarget, 'plan'>;

/** Packets after a segment, of which a decoder with several threads reads some before it yields the last picture. */
const packetsAfter = 32;

/** Chooses the packets of which a segment's pictures are decoded, with the pictures before and after it (pure). */
export function segmentPackets(
  films: readonly PlannedFilm[],
  source: PictureSource,
  range: SegmentRange,
  packets: readonly PlacedPacket[],
): PlacedPacket[] {
  const plans = films.map(({ plan }) => ({ ...plan.video, timing: planWindow(plan.video, range).timing }));
  const tick = valueOf(source.timeBase);
  const { seekSeconds = -Infinity } = planEntry(plans, source);
  const end = Math.max(...plans.map(({ timing }) => timingStart(timing) + plannedSeconds(timing))) / tick;
  const first = findEntry(packets, seekSeconds / tick);
  const last = packets.findLastIndex(({ pts = 0 }) => pts < end + 1);
  return packets.slice(first, last + 1 + packetsAfter);
}

/** Chooses the packets of the pictures that show how a film was made (pure). */
export function scanPackets(source: TimedPictures, packets: readonly PlacedPacket[]): PlacedPacket[] {
  return scannedPlaces(source).flatMap(({ seconds, pictures }) => {
    const first = findEntry(packets, seconds / valueOf(source.timeBase));
    return packets.slice(first, first + pictures + packetsAfter);
  });
}

/** Index of the last key packet that is shown by this time. */
function findEntry(packets: readonly PlacedPacket[], tick: number): number {
  return Math.max(
    0,
    packets.findLastIndex(({ isKey, pts = Infinity }) => isKey && pts < tick + 0.5),
  );
}

/** Facts that depend on the job, or on how the packets were listed, and not on the film. */
const jobFacts: ReadonlySet<string> = new Set(['path', 'keyTicks', 'isPartial']);

/**
 * Digest of the plans of the films' pictures, and of the time of every picture of the source. A segment that reads only
 * a part of the source compares its digest with the digest of the step `plan`.
 */
export function digestFilms(films: readonly PlannedFilm[], source: PictureSource): string {
  const facts = { plans: films.map(({ plan }) => plan.video), source };
  const text = JSON.stringify(facts, (name, value: unknown) => (jobFacts.has(name) ? undefined : value));
  return createHash('sha256').update(text).digest('hex');
}
