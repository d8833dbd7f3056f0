import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia, placement, probe, samplesOf } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

const sampleRate = 48_000;
/** Seconds of the parts. ffmpeg's limit for a jump in time is 10 s; the last part has only a few packets. */
const parts = [12.37, 4.21, 0.3];

const container = await stopAfterAll(TestContainer.start({ ENCODE_PARALLELISM: '2' }));
for (const [index, seconds] of parts.entries()) {
  const noise = `anoisesrc=d=${seconds}:r=${sampleRate}:c=pink:seed=${index + 1}:a=0.3`;
  await makeMedia(container.mediaRoot, `noise-${index}.wav`, '-f', 'lavfi', '-i', noise, '-c:a', 'pcm_s16le');
}

const file = (name: string): string => join(container.mediaRoot, name);

interface Joined {
  name: string;
  /** The parts as plain ffmpeg decodes each alone, joined. */
  samples: Int16Array;
}

/** Joins files of noise; `args` are for each part in turn, the last of them for the rest. */
async function joinFiles(name: string, ...args: string[]): Promise<Joined> {
  const files: Buffer[] = [];
  const samples: Int16Array[] = [];
  for (const index of parts.keys()) {
    const own = args[Math.min(index, args.length - 1)] ?? '';
    const part = await makeMedia(
      container.mediaRoot,
      `${index}-${name}`,
      '-i',
      file(`noise-${index}.wav`),
      ...own.split(' '),
    );
    files.push(await readFile(part));
    samples.push(await samplesOf(part, sampleRate));
  }
  await writeFile(file(name), Buffer.concat(files));
  return { name, samples: Int16Array.from(samples.flatMap((part) => [...part])) };
}

async function encode(name: string): Promise<Int16Array> {
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl(name),
    outputs: [{ format: 'wav', uploadUrl: container.fileUrl(`out-${name}.wav`) }],
  });
  expect(answer).toMatchObject({ status: 200 });
  return await samplesOf(file(`out-${name}.wav`), sampleRate);
}

async function metadataSeconds(name: string): Promise<number> {
  const answer = await container.call('POST', '/metadata', { sourceUrl: container.fileUrl(name) });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.duration;
}

async function cut(name: string): Promise<Int16Array[]> {
  const chunks = [0, 1, 2].map((index) => ({ index, uploadUrl: container.fileUrl(`chunks-${name}/${index}`) }));
  const figures = { chunkDuration: 7, overlapDuration: 0 };
  const answer = await container.call('POST', '/chunk', { sourceUrl: container.fileUrl(name), ...figures, chunks });
  expect(answer).toMatchObject({ status: 200, body: { totalChunks: 3 } });
  return await Promise.all(chunks.map(({ index }) => samplesOf(file(`chunks-${name}/${index}`), sampleRate)));
}

/** Largest difference of two samples; a 16-bit WAV of a lossy source is rounded once more than the reference. */
function difference(a: Int16Array, b: Int16Array): number {
  let most = a.length === b.length ? 0 : Infinity;
  for (const [at, sample] of a.entries()) most = Math.max(most, Math.abs(sample - (b[at] ?? 0)));
  return most;
}

const kinds: [name: string, ...args: string[]][] = [
  ['chained-opus.ogg', '-c:a libopus'],
  ['chained-vorbis.ogg', '-c:a libvorbis'],
  ['chained-flac.ogg', '-c:a flac'],
  ['joined.flac', '-c:a flac'],
  ['joined.webm', '-c:a libopus'],
];

test.each(rowsExcept(['chained-vorbis.ogg'], kinds))(
  'encodes and cuts %s, made of joined files, as its parts in order',
  async (name, ...args) => {
    const { samples } = await joinFiles(name, ...args);
    expect(difference(await encode(name), samples)).toBeLessThanOrEqual(1);
    for (const [index, chunk] of (await cut(name)).entries()) {
      const ideal = samples.subarray(index * 7 * sampleRate, (index + 1) * 7 * sampleRate);
      if (name.includes('flac')) {
        expect(difference(chunk, ideal)).toBe(0);
        continue;
      }
      // These chunks are encoded again, in Opus frames of 20 ms.
      expect(Math.abs(chunk.length - ideal.length) / sampleRate).toBeLessThan(0.03);
      const { lag, likeness } = placement(chunk, ideal, 0, sampleRate, 0.02);
      expect(likeness).toBeGreaterThan(0.8);
      expect(Math.abs(lag)).toBeLessThan(0.01);
    }
  },
);

test.each<[string, string, string]>([
  ['other-rate.flac', '-c:a flac', '-c:a flac -ar 32000'],
  ['other-channels.ogg', '-c:a libvorbis -ac 2', '-c:a libvorbis -ar 44100'],
])('encodes %s, whose parts differ, with the rate and channels of the first', async (name, ...args) => {
  const { samples } = await joinFiles(name, ...args);
  const encoded = await encode(name);
  expect(await probe(file(`out-${name}.wav`), '-show_entries', 'stream=sample_rate,channels')).toMatchObject({
    streams: [{ sample_rate: String(sampleRate), channels: name.includes('channels') ? 2 : 1 }],
  });
  expect(Math.abs(encoded.length - samples.length)).toBeLessThanOrEqual(parts.length);
  const { lag, likeness } = placement(encoded.subarray(13 * sampleRate), samples, 13, sampleRate, 0.02);
  expect(likeness).toBeGreaterThan(0.95);
  expect(Math.abs(lag)).toBeLessThan(0.001);
});

/** ffmpeg itself continues at the joins of these formats: they have no header, or their time stamps restart. */
test.each<[string, string]>(
  rowsExcept(
    ['joined.ac3'],
    [
      ['joined.aac', '-c:a aac -f adts'],
      ['joined.ac3', '-c:a ac3'],
      ['joined.ts', '-c:a aac -f mpegts'],
    ],
  ),
)('keeps every part of %s in its place, encoded and cut', async (name, args) => {
  const { samples } = await joinFiles(name, args);
  const encoded = await encode(name);
  expect(encoded.length).toBe(samples.length);
  for (const start of [5, 13]) {
    const { lag, likeness } = placement(encoded.subarray(start * sampleRate), samples, start, sampleRate, 0.02);
    expect(likeness).toBeGreaterThan(0.95);
    expect(lag).toBe(0);
  }
  for (const [index, chunk] of (await cut(name)).entries()) {
    const { lag, likeness } = placement(chunk, samples, index * 7, sampleRate, 0.06);
    expect(likeness).toBeGreaterThan(0.8);
    expect(Math.abs(lag)).toBeLessThanOrEqual(0.05);
  }
});

test('ignores a last part that is only a header, and keeps the tags of the first', async () => {
  const { samples } = await joinFiles('tagged.ogg', '-c:a libopus -metadata title=First');
  const tagged = await readFile(file('tagged.ogg'));
  await writeFile(file('tagged.ogg'), Buffer.concat([tagged, tagged.subarray(0, 47)]));
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl('tagged.ogg'),
    outputs: [{ format: 'flac', uploadUrl: container.fileUrl('tagged.flac') }],
  });
  expect(answer).toMatchObject({ status: 200 });
  expect(difference(await samplesOf(file('tagged.flac'), sampleRate), samples)).toBeLessThanOrEqual(1);
  expect(await probe(file('tagged.flac'), '-show_entries', 'format_tags')).toMatchObject({
    format: { tags: { TITLE: 'First' } },
  });
});

test('encodes a joined source in segments to the same mp3 as in a single run', async () => {
  const noise = await makeMedia(container.mediaRoot, 'long.flac', '-stream_loop', '4', '-i', file('noise-0.wav'));
  const long = await readFile(noise);
  await writeFile(file('joined-long.flac'), Buffer.concat([long, long]));
  const encodeLong = async (parallel: boolean) => {
    const uploadUrl = container.fileUrl(`joined-long-${parallel}.mp3`);
    const outputs = [{ format: 'mp3_128', uploadUrl }];
    const sourceUrl = container.fileUrl('joined-long.flac');
    return (await container.call('POST', '/encode', { sourceUrl, outputs, parallel })).body.outputs[0];
  };
  const inSegments = await encodeLong(true);
  expect(inSegments).toMatchObject({ segments: 2 });
  expect(inSegments.duration).toBeCloseTo(2 * 5 * (parts[0] ?? 0), 2);
  expect(await encodeLong(false)).toMatchObject({ segments: 1, sha256: inSegments.sha256 });
});

test('reports in /metadata the length that an encode of a joined source has', async () => {
  const { samples } = await joinFiles('asked.flac', '-c:a flac');
  const answer = await container.call('POST', '/metadata', { sourceUrl: container.fileUrl('asked.flac') });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body.duration).toBeCloseTo(samples.length / sampleRate, 2);
});

/** ffmpeg alone would time the frames of the second part by the rate of the first, and drop sound or fill false gaps. */
test.each<[string, string, string]>([
  ['slower.aac', '-c:a aac -f adts', '-c:a aac -ar 24000 -f adts'],
  ['faster.mp3', '-c:a libmp3lame -ar 44100 -write_xing 0', '-c:a libmp3lame -write_xing 0'],
])(
  'keeps all sound of %s in its place, though its parts have other rates and no time stamps',
  async (name, ...args) => {
    const { samples } = await joinFiles(name, ...args);
    const encoded = await encode(name);
    // At the join of two mp3 files a frame is lost or gained: the first frame refers to bits of the frame before it.
    const seconds = samples.length / sampleRate;
    expect(Math.abs(encoded.length - samples.length) / sampleRate).toBeLessThan(0.05);
    expect(Math.abs((await metadataSeconds(name)) - seconds)).toBeLessThan(0.05);
    const chunks = await cut(name);
    for (const [made, from, start] of [
      [encoded, 5, 5],
      [encoded, 15, 15],
      [chunks[1] ?? encoded, 6, 13],
    ] as const) {
      const { lag, likeness } = placement(made.subarray(from * sampleRate), samples, start, sampleRate, 0.1);
      expect(likeness).toBeGreaterThan(0.7);
      expect(Math.abs(lag)).toBeLessThan(0.05);
    }
  },
);

test('cuts joined Opus files of six channels into chunks', async () => {
  const layout = ['-af', 'pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0'];
  const path = await makeMedia(container.mediaRoot, 'six.opus', '-i', file('noise-0.wav'), '-t', '7.5', ...layout);
  const part = await readFile(path);
  await writeFile(file('six.ogg'), Buffer.concat([part, part]));
  expect((await cut('six.ogg'))[0]?.length).toBeGreaterThan(6.9 * sampleRate);
});
