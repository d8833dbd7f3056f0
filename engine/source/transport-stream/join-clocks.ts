import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readPacketSpan } from '../../ffmpeg/packet-span.ts';
import { subfileUrl } from '../../ffmpeg/subfile.ts';
import { findClockParts } from './clock-parts.ts';
import { moveClocks, type MovedPart } from './move-clocks.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import type { Work } from '../../work.ts';
import { joinSounds, type PlacedPart } from './join-sounds.ts';
import { noRoom, scratchRoom } from '../raw-samples.ts';
import { openSource, type Source } from '../source.ts';

/**
 * Ticks at which the first part starts: ten seconds, so that no packet is sent before zero. A later start of a wrapping
 * clock would wrap again.
 */
const firstTick = 900_000;

/**
 * Copies a transport stream of several recordings so that each starts where the pictures and sound of the previous one
 * have ended. By the stream's own times, a recording would replace the previous one or lose sync. All streams of a part
 * move together. Any other source is returned unchanged.
 */
export async function joinClocks(source: Source, limits: RunLimits, job: Work): Promise<Source> {
  const found = await findClockParts(source.path, job.signal);
  if (found.length === 1) return source;
  const path = join(job.folder, 'one-clock');
  const parts: MovedPart[] = [];
  const placed: PlacedPart[] = [];
  let start = firstTick;
  let length = 0;
  for (const { from, to } of found) {
    const span = await readPacketSpan(subfileUrl(source.path, from, to), source.formatName, job.signal);
    job.advance('probe', undefined);
    // Damage may leave a part without any packet.
    if (span === undefined) continue;
    parts.push({ from, to, by: start - span.start });
    placed.push({ input: subfileUrl(path, length, length + to - from), start, sounds: span.sounds });
    start += span.end - span.start;
    length += to - from;
  }
  const room = await scratchRoom(path, limits.maxOutputBytes);
  if ((await stat(source.path)).size > room) throw noRoom(room);
  await moveClocks(source.path, path, parts, job.signal);
  const opened = await openSource(path, limits, job.signal);
  const moved = { ...opened, tags: { ...source.tags, beginsAt: opened.tags.beginsAt } };
  return await joinSounds(moved, placed, limits, job);
}
