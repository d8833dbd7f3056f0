import { readAviEnding } from './avi/ending.ts';
import { readDeclaredSize } from './declared-size.ts';
import type { Ending } from './ending.ts';
import { readFlvEnding } from './flv/ending.ts';
import { readIsobmffEnding } from './isobmff/ending.ts';
import { readMatroskaEnding } from './matroska/ending.ts';
import { readMp3Ending } from './mp3/ending.ts';
import { readOggEnding } from './ogg/ending.ts';
import { readRiffLength } from './wav/riff-length.ts';

async function readWavEnding(path: string): Promise<Ending> {
  const length = await readRiffLength(path);
  if (length.kind !== 'declared') return { kind: 'unknown', declaredSeconds: 'none' };
  // If all bytes are present, the header's byte rate, which writers often get wrong, is not needed.
  const { seconds, presentShare } = length;
  if (presentShare === 1) return { kind: 'whole', declaredSeconds: 'none' };
  return seconds === undefined ? { kind: 'cut', presentShare } : { kind: 'cut', declaredSeconds: seconds };
}

async function readSizedEnding(path: string, formatName: string): Promise<Ending> {
  const size = await readDeclaredSize(path, formatName);
  // An AIFF that was piped also counts samples in its header that it does not have.
  if (size === undefined) return { kind: 'unknown', ...(formatName === 'aiff' && { declaredSeconds: 'none' }) };
  const presentShare = size.present / size.declared;
  if (presentShare === 1) return { kind: 'whole', declaredSeconds: 'none' };
  return size.seconds === undefined ? { kind: 'cut', presentShare } : { kind: 'cut', declaredSeconds: size.seconds };
}

/** Keyed by the first of ffprobe's names for the format. */
const readers: Record<string, (path: string, formatName: string) => Promise<Ending>> = {
  aiff: readSizedEnding,
  asf: readSizedEnding,
  au: readSizedEnding,
  avi: readAviEnding,
  caf: readSizedEnding,
  flv: readFlvEnding,
  matroska: readMatroskaEnding,
  mov: readIsobmffEnding,
  mp3: readMp3Ending,
  ogg: readOggEnding,
  w64: readSizedEnding,
  wav: readWavEnding,
};

/** Reads the ending of a file; `formatName` is ffprobe's. */
export async function readEnding(path: string, formatName: string): Promise<Ending> {
  const read = readers[formatName.split(',')[0] ?? ''];
  return read === undefined ? { kind: 'unknown' } : await read(path, formatName);
}
