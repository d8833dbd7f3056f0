import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { motion, quickH264, tone } from '../support/films.ts';
import { makeMedia } from '../support/media-files.ts';
import { musicOgg } from '../support/media.ts';
import { run } from '../support/process.ts';
import { readTags } from '../engine/formats/tags/read-tags.ts';
import { AllWays } from './all-ways.ts';

/** A preset of the users beside the built-in ones. */
const house = {
  'house-podcast': {
    description: 'our own podcasts',
    container: 'mp3',
    audio: { codec: 'mp3', bitrate: 96, channels: 1, sampleRate: 48_000 },
    loudness: { integrated: -18, truePeak: -2 },
    metadata: { publisher: 'The House' },
  },
};

export const seconds = 24;
const chapters = [
  { start: 0, title: 'Anfang' },
  { start: 11.5, title: 'Ende' },
];

/** Creates lossless music with dynamics, a title, chapters and a cover. */
export async function makeBook(folder: string): Promise<string> {
  const lines = chapters.flatMap(({ start, title }, index) => {
    const end = chapters[index + 1]?.start ?? seconds;
    return ['[CHAPTER]', 'TIMEBASE=1/1000', `START=${start * 1000}`, `END=${end * 1000}`, `title=${title}`];
  });
  await writeFile(join(folder, 'chapters.txt'), [';FFMETADATA1', 'title=Ein Buch', 'artist=Ada', ...lines].join('\n'));
  const cover = await makeMedia(folder, 'cover.png', '-f', 'lavfi', '-i', 'testsrc=s=1600x1600', '-frames:v', '1');
  return await makeMedia(
    folder,
    'book.m4a',
    ...['-stream_loop', '-1', '-i', musicOgg, '-i', cover, '-i', join(folder, 'chapters.txt'), '-t', String(seconds)],
    ...['-map', '0:a', '-map', '1:v', '-map_metadata', '2', '-map_chapters', '2'],
    // The loop of a recording leaves a gap in the timestamps.
    ...['-af', "asetpts=N/SR/TB,volume=eval=frame:volume='if(lt(mod(t,9),5),0.9,0.25)'", '-ar', '44100', '-ac', '2'],
    ...['-c:a', 'alac', '-sample_fmt', 's16p', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic'],
  );
}

export const makeFilm = (folder: string): Promise<string> =>
  makeMedia(folder, 'film.mov', ...motion(2.4, '25', '320x180'), ...tone(2.4), ...quickH264);

/** Makes a film that is short enough for presets that enlarge its pictures. */
export const makeMoment = (folder: string): Promise<string> =>
  makeMedia(folder, 'moment.mov', ...motion(0.1, '30', '320x180'), ...tone(0.1), ...quickH264);

export async function startAllWays(folder: string): Promise<AllWays> {
  const presetsFile = join(folder, 'presets.json');
  await writeFile(presetsFile, JSON.stringify(house));
  return await AllWays.start(presetsFile);
}

/** Digest of the stored audio packets and, for a film, of the video packets. */
async function packetDigest(path: string): Promise<string> {
  const args = [
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:a:0',
    '-map',
    '0:V?',
    '-c',
    'copy',
    '-f',
    'hash',
    '-hash',
    'sha256',
    '-',
  ];
  const { code, output } = await run('ffmpeg', args);
  expect(code, output).toBe(0);
  return output.trim();
}

/** Expects the same packets and tags by HTTP, by the workflow and on the command line. */
export async function expectSameByAllWays(ways: AllWays, preset: string): Promise<void> {
  const paths = ways.filesOf(preset);
  const [packets, ...otherPackets] = await Promise.all(paths.map(packetDigest));
  expect(otherPackets).toEqual([packets, packets]);
  const [tags, ...otherTags] = await Promise.all(paths.map(readTags));
  expect(otherTags).toEqual([tags, tags]);
}
