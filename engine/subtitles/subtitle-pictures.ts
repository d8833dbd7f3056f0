import type { SubtitlePacket, SubtitlePictures } from '../source/subtitle-track.ts';
import type { ShownPictures } from '../plan/subtitle-plan.ts';

/**
 * Time of the source's zero in the files of these tracks. Matroska has no negative times, and ffmpeg counts from up to
 * a minute before zero if a broadcast's clock (26.5 hours) wraps soon after the start of the film.
 */
export const sourceZeroSeconds = 120;

/** Matroska's clock has milliseconds. */
const roundingMs = 1;

/** In Blu-rays and broadcasts, a packet is shown until the next one, but nobody needs longer to read it. */
const longestShownMs = 30_000;

/**
 * True if a packet from before a cut is still shown after it. DVD packets state their duration; without one, it is
 * unknown.
 */
function isShownAt(ms: number, { startMs, durationMs }: SubtitlePacket, { codec }: SubtitlePictures): boolean {
  if (codec === 'dvd_subtitle') return startMs + durationMs > ms + roundingMs;
  return startMs > ms - longestShownMs;
}

/** Numbers and times of the packets that an output has, on its clock; undefined if there are none. */
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

/** ffmpeg bitstream filters that select and shift these packets to the output's clock. */
export function pictureBitstreamFilters(shown: ShownPictures): string {
  const { first = 0, last = -1 } = placePictures(shown) ?? {};
  const end = Math.round(shown.window.seconds * 1000);
  // A packet that crosses an edge is cut there, as far as it states its duration.
  const duration = `max(0\\,min(DURATION\\,${end}-PTS)+min(0\\,PTS))`;
  return `noise=drop=not(between(n\\,${first}\\,${last})),setts=pts=max(0\\,PTS):dts=max(0\\,PTS):duration=${duration}`;
}
