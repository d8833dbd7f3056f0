import { readFile } from 'node:fs/promises';
import { parseFile } from 'music-metadata';
import { describe, expect, test } from 'vitest';
import { builtInPresets } from '../../contract/presets.ts';
import { readTags } from '../engine/formats/tags/read-tags.ts';
import { makeMedia, pcmDigest, probe } from '../support/media-files.ts';
import { meterOf } from '../media/meter.ts';
import {
  filmStreams,
  golden,
  goldenFilms,
  goldenMoments,
  h264Video,
  mp4Sound,
  packageNames,
} from './golden-presets.ts';
import { expectSameByAllWays, makeBook, makeFilm, makeMoment, seconds, startAllWays } from './preset-files.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Other readers confirm the promises of every preset. `presets.matrix.test.ts` makes a file of every preset in each way, and
// compares the files.

const names = Object.keys(golden);
const filmNames = Object.keys(goldenFilms);
const momentNames = Object.keys(goldenMoments);

/** mp3 has a constant bitrate. Opus gives music more than asked and speech less, and 24 s are short. */
const bitrateTolerance: Record<string, number> = { mp3: 0.01, aac: 0.1, opus: 0.6 };

const folder = useFolder();

const source = await makeBook(folder);
const ways = await stopAfterAll(startAllWays(folder));
const audioNames = Object.keys(builtInPresets).filter((name) => name in golden);
await ways.encode(source, audioNames);
await ways.encodeByAll(source, ['house-podcast', 'archive-flac']);
const film = await makeFilm(folder);
// A request has at most eight outputs.
await ways.encode(film, filmNames.slice(0, 8));
await ways.encode(film, filmNames.slice(8));
await ways.encodeByAll(film, ['proxy-360']);
await ways.encode(await makeMoment(folder), momentNames);

test('every built-in preset has golden figures', () => {
  const known = [...names.filter((name) => name !== 'house-podcast'), ...filmNames, ...momentNames, ...packageNames];
  expect(known.toSorted()).toEqual(Object.keys(builtInPresets).toSorted());
});

test.each(['house-podcast', 'archive-flac', 'proxy-360'])(
  '%s yields the same packets and tags by HTTP, by the workflow and on the command line',
  async (preset) => {
    await expectSameByAllWays(ways, preset);
  },
);

describe.each(names)('preset %s', (preset) => {
  const promised = golden[preset]!;

  test('keeps its promises according to ffprobe and music-metadata', async () => {
    const path = ways.httpFileOf(preset);
    const { codec, channels, sampleRate, bitrate, reader } = promised;
    const { streams } = (await probe(path, '-show_streams')) as {
      streams: { codec_type: string; codec_name: string; channels: number; sample_rate: string; bit_rate?: string }[];
    };
    const audio = streams.find(({ codec_type }) => codec_type === 'audio');
    // Opus always plays at 48 kHz.
    const playedRate = codec === 'opus' ? 48_000 : sampleRate;
    expect(audio).toMatchObject({ codec_name: codec, channels, sample_rate: String(playedRate) });
    const { format } = await parseFile(path, { duration: true });
    expect(format.container).toMatch(reader.container);
    expect(format.codec).toMatch(reader.codec);
    expect(format.numberOfChannels).toBe(reader.channels ?? channels);
    // An Opus header contains the input rate of the encoder.
    expect(format.sampleRate).toBe(sampleRate);
    if (reader.bitsPerSample !== undefined) expect(format.bitsPerSample).toBe(reader.bitsPerSample);
    expect(Math.abs((format.duration ?? 0) - seconds)).toBeLessThan(0.06);
    if (bitrate === undefined) return;
    const { packets } = (await probe(path, '-select_streams', 'a:0', '-show_entries', 'packet=size')) as {
      packets: { size: string }[];
    };
    const average = packets.reduce((sum, { size }) => sum + Number(size) * 8, 0) / seconds / 1000;
    expect(Math.abs(average / bitrate - 1)).toBeLessThan(bitrateTolerance[codec] ?? 0);
  });

  test('the file has its loudness according to ffmpeg’s meter, or every sample of its source', async () => {
    const path = ways.httpFileOf(preset);
    if (promised.loudness !== undefined) {
      const [integrated, truePeak] = promised.loudness;
      const judge = await meterOf(path);
      expect(Math.abs(judge.integrated - integrated)).toBeLessThanOrEqual(0.1);
      expect(judge.truePeak).toBeLessThanOrEqual(truePeak);
    } else if (preset === 'archive-flac') {
      expect(await pcmDigest(path, 's16le')).toBe(await pcmDigest(source, 's16le'));
    } else {
      // The preset does not change the loudness: the level is that of the source, mixed to one channel.
      const mono = await makeMedia(folder, 'mono.wav', '-i', source, '-map', '0:a', '-ac', '1', '-ar', '24000');
      expect(Math.abs((await meterOf(path)).integrated - (await meterOf(mono)).integrated)).toBeLessThan(0.5);
    }
  });

  test('keeps the tags, chapters and cover of its source', async () => {
    const path = ways.httpFileOf(preset);
    const tags = await readTags(path);
    expect(tags).toMatchObject({ title: 'Ein Buch', artist: 'Ada' });
    if (preset === 'radio-wav-ebu') {
      const head = (await readFile(path)).toString('latin1');
      // Broadcast Wave chunk (EBU Tech 3285) and cue points.
      expect(head).toMatch(/bext/);
      expect(head).toMatch(/Holdfast/);
      expect(head).toMatch(/cue /);
      return;
    }
    expect(tags.chapters.map(({ title }) => title)).toEqual(['Anfang', 'Ende']);
    expect(Math.abs((tags.chapters[1]?.start ?? 0) - 11.5)).toBeLessThan(0.01);
    expect(tags.picture?.mimeType).toBe('image/jpeg');
    if (preset === 'house-podcast') expect([...tags.native.values()]).toContain('The House');
  });
});

async function expectFilm(preset: string, shape: object, promised: readonly string[]): Promise<void> {
  const path = ways.httpFileOf(preset);
  const { streams, format } = (await probe(path, '-show_streams', '-show_format')) as {
    streams: { codec_type: string; bit_rate: string }[];
    format: { format_name: string };
  };
  expect(format.format_name).toMatch(/mp4|matroska/);
  expect(streams).toMatchObject(filmStreams[preset] ?? [h264Video, mp4Sound]);
  expect(streams[0]).toMatchObject(shape);
  const written = (await readFile(path)).toString('latin1');
  const said = (/x264 - core [^\0]*?options: ([^\0\x80]*)/.exec(written)?.[1] ?? '').split(' ');
  expect(said).toEqual(expect.arrayContaining([...promised]));
}

test.each(filmNames)('%s yields a film that keeps its promises', async (preset) => {
  const counted = preset in filmStreams ? {} : { nb_frames: '60' };
  await expectFilm(preset, { width: 320, height: 180, ...counted }, goldenFilms[preset] ?? []);
});

test.each(momentNames)('%s yields a film of the promised size', async (preset) => {
  const { size, said } = goldenMoments[preset] ?? { size: [0, 0], said: [] };
  const [width, height] = size;
  await expectFilm(preset, { width, height, nb_frames: '3', r_frame_rate: '30/1' }, said);
});
