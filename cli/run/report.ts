import { isAbsolute, relative, sep } from 'node:path';
import type { Chunk } from '../../contract/http/chunk.ts';
import type { EncodedOutput } from '../../contract/http/encode.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { counted } from '../progress/counted.ts';

/** Of a long list of chunks only the beginning is worth a screen. */
const shownChunks = 10;

export function outputReport(place: string, output: EncodedOutput): string {
  const facts = [
    output.format,
    seconds(output.duration),
    ...(output.channels === undefined ? [] : [`${output.sampleRate} Hz ${channelNames(output.channels)}`]),
    `${output.bitrate} kbit/s`,
    shownSize(output.size),
  ];
  return `  ${place}\n    ${facts.join(' · ')}\n    sha256 ${output.sha256}`;
}

export function chunksReport(places: readonly string[], chunks: readonly Chunk[]): string {
  const lines = chunks.slice(0, shownChunks).map((chunk, index) => {
    const span = `${seconds(chunk.start)} + ${seconds(chunk.duration)}`;
    return `  ${places[index]}\n    ${span} · ${shownSize(chunk.size)}\n    sha256 ${chunk.sha256}`;
  });
  if (chunks.length > shownChunks) lines.push(`  … and ${chunks.length - shownChunks} more`);
  return lines.join('\n');
}

/** "Encoded talk.wav in 3.2 s" and, where it was not the first, after how many attempts. */
export function headline(what: string, tookMs: number, counts: AttemptCounts): string {
  const tries =
    counts.attempts === 1
      ? ''
      : `, after ${counted(counts.attempts, 'attempt')} (${counted(counts.rateLimitHits, 'time')} busy, ${counted(counts.connectionErrors, 'connection error')})`;
  return `${what} in ${seconds(tookMs / 1000)}${tries}`;
}

/** As the person would type it from where they are. */
export function shownPath(path: string, userFolder: string): string {
  const fromThere = relative(userFolder, path);
  return isAbsolute(fromThere) || fromThere.startsWith(`..${sep}`) ? path : fromThere;
}

export function shownSize(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

function channelNames(channels: number): string {
  if (channels === 1) return 'mono';
  return channels === 2 ? 'stereo' : `with ${channels} channels`;
}

function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}
