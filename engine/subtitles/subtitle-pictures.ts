import type { SubtitlePacket, SubtitlePictures } from '../source/subtitle-track.ts';
import type { ShownPictures } from '../plan/subtitle-plan.ts';

/**
 * Where the clock of the source is at zero in the files of these tracks. Matroska has no times before its beginning, and ffmpeg counts from up to a
 * minute before zero where a broadcast's clock of 26.5 hours begins anew soon after the film does.
 */
export const sourceZeroSeconds = 120;

/** Clocks of Matroska have milliseconds. */
const roundingMs = 1;

/** Of Blu-rays and broadcasts a packet changes what is shown until the next one; longer nobody reads one. */
const longestShownMs = 30_000;

/** Whether a packet from before a cut is still shown behind it. Packets of a DVD say how long; of one that does not, nobody knows. */
function isShownAt(ms: number, { startMs, durationMs }: SubtitlePacket, { codec }: SubtitlePictures): boolean {
  if (codec === 'dvd_subtitle') return startMs + durationMs > ms + roundingMs;
  return startMs > ms - longestShownMs;
}

/** The packets that an output has, by their numbers, with where they are on its clock; undefined: none (pure). */
export function placePictures({
  pictures,
  window,
}: ShownPictures): { first: number; last: number; packets: SubtitlePacket[] } | undefined {
  const { packets } = pictures;
  const [startMs, endMs] = [window.start * 1000, (window.start + window.seconds) * 1000];
  const within = packets.findIndex((packet) => packet.startMs >= startMs - roundingMs);
  const next = within === -1 ? packets.length : within;
  const before = packets[next - 1];
  const isChanged = (packets[next]?.startMs ?? Infinity) <= startMs + roundingMs;
  const first = before !== undefined && !isChanged && isShownAt(startMs, before, pictures) ? next - 1 : next;
  const last = packets.findLastIndex((packet) => packet.startMs < endMs - roundingMs);
  if (last < first) return undefined;
  const shown = packets.slice(first, last + 1);
  const place = (ms: number): number => Math.max(0, ms - Math.round(startMs));
  return { first, last, packets: shown.map((packet) => ({ ...packet, startMs: place(packet.startMs) })) };
}

/** ffmpeg's bitstream filters that make these packets of those of the track, whose clock begins with the output (pure). */
export function pictureBitstreamFilters(shown: ShownPictures): string {
  const { first = 0, last = -1 } = placePictures(shown) ?? {};
  const end = Math.round(shown.window.seconds * 1000);
  // What crosses an edge is cut there, as far as its packet says how long it is shown.
  const duration = `max(0\\,min(DURATION\\,${end}-PTS)+min(0\\,PTS))`;
  return `noise=drop=not(between(n\\,${first}\\,${last})),setts=pts=max(0\\,PTS):dts=max(0\\,PTS):duration=${duration}`;
}
