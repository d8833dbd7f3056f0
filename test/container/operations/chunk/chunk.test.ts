import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { planChunks } from '../../../../contract/chunk-plan.ts';
import { TestContainer, type Answer } from '../../../support/container.ts';
import { musicOgg, probeAudio, speechWav } from '../../../support/media.ts';
import { dffFile } from '../../../support/rare-media.ts';
import { makeMedia, placement, pcmDigest, probe, samplesOf, words } from '../../../support/media-files.ts';
import { wavFile } from '../../../media/wav.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

describe('planChunks', () => {
  test.each([
    // duration, chunkDuration, overlapDuration, starts, duration of the last chunk
    [0.5, 60, 2, [0], 0.5],
    [2, 60, 2, [0], 2],
    [59.999, 60, 2, [0], 59.999],
    [60, 60, 2, [0], 60],
    [60.000_000_001, 60, 2, [0], 60],
    [60.001, 60, 2, [0, 58], 2.001],
    [118, 60, 2, [0, 58], 60],
    [118.01, 60, 2, [0, 58, 116], 2.01],
    [120, 60, 0, [0, 60], 60],
    [120.5, 60, 0, [0, 60, 120], 0.5],
    [10, 1, 0.9, [0, 0.1, 0.2], undefined],
    [12, 5, 1, [0, 4, 8], 4],
    [3, 1, 0, [0, 1, 2], 1],
  ])('plans chunks of %s s, %s s long with %s s of overlap, at %j', (duration, length, overlap, starts, last) => {
    const chunks = planChunks(duration, length, overlap);
    expect(chunks.slice(0, starts.length).map(({ start }) => Math.round(start * 1e6) / 1e6)).toEqual(starts);
    expect(chunks.map(({ index }) => index)).toEqual([...chunks.keys()]);
    if (last === undefined) return;
    expect(chunks).toHaveLength(starts.length);
    expect(chunks.at(-1)?.duration).toBeCloseTo(last, 6);
  });

  test('covers the whole duration with the number of chunks of the formula, and plans no empty chunk', () => {
    for (let duration = 0.3; duration < 400; duration += 7.3) {
      for (const length of [1, 2.5, 30, 60, 61.7]) {
        for (const overlap of [0, 0.25, 0.9]) {
          const chunks = planChunks(duration, length, overlap);
          expect(chunks).toHaveLength(Math.max(1, Math.ceil((duration - overlap) / (length - overlap) - 1e-9)));
          const last = chunks.at(-1);
          expect((last?.start ?? 0) + (last?.duration ?? 0)).toBeCloseTo(duration, 6);
          expect(chunks.slice(0, -1).every((chunk) => chunk.duration === length)).toBe(true);
          expect(chunks.slice(1).every((chunk) => chunk.duration > overlap - 1e-6)).toBe(true);
        }
      }
    }
  });
});

const rate = 8000;

const container = await stopAfterAll(TestContainer.start());

function chunkRequest(source: string, name: string, count: number, figures: Record<string, number> = {}) {
  return {
    sourceUrl: container.fileUrl(source),
    ...figures,
    chunks: Array.from({ length: count }, (_, index) => ({
      index,
      uploadUrl: container.fileUrl(`${name}/${index}`),
    })),
  };
}

/** Positions of the frames of an ADTS file (ISO 13818-7, 6.2). */
function adtsFrames(file: Buffer): number[] {
  const found: number[] = [];
  for (let at = 0; at + 7 < file.length; at += (file.readUIntBE(at + 3, 3) >> 5) & 0x1f_ff) found.push(at);
  return found;
}

const call = (body: unknown): Promise<Answer> => container.call('POST', '/chunk', body);

test.each([
  ['mp3', ['-c:a', 'libmp3lame', '-write_xing', '0'], 'mp3'],
  ['m4a', ['-c:a', 'aac'], 'aac'],
  ['ogg', ['-c:a', 'libvorbis'], 'vorbis'],
  ['opus', ['-c:a', 'libopus'], 'opus'],
  ['flac', [], 'flac'],
])('cuts an %s source whose last chunk is shorter than a packet', async (extension, args, codec) => {
  for (const rest of [0.003, 0.011, 0.019]) {
    const name = `rest-${rest}.${extension}`;
    const path = await makeMedia(container.mediaRoot, name, ...['-i', musicOgg, '-t', String(2 + rest)], ...args);
    const samples = (await samplesOf(path, 44_100)).length;
    const length = Math.max(1, Math.floor((samples / 44_100 - rest) * 1000) / 1000);
    const { body } = await call(
      chunkRequest(name, `rest-${codec}-${rest}`, 2, { chunkDuration: length, overlapDuration: 0 }),
    );
    expect(body, `${rest} s`).toMatchObject({ success: true, totalChunks: 2 });
    expect(body.chunks[1].duration).toBeGreaterThan(0);
    expect(body.chunks[1].duration).toBeLessThan(rest + 0.05);
  }
});

test('cuts a WAV whose header states a wrong byte rate or frame size at the exact sample', async () => {
  const source = await makeMedia(container.mediaRoot, 'rates.wav', '-i', musicOgg, ...words('-t 4 -ac 2 -bitexact'));
  const whole = await samplesOf(source, rate);
  for (const [name, place, wrong] of [
    ['byte-rate', 28, [0x39, 0x30, 0, 0]],
    ['frame-size', 32, [2, 0]],
  ] as const) {
    const bytes = await readFile(source);
    bytes.set(wrong, place);
    if (name === 'frame-size') bytes.writeUInt32LE(bytes.readUInt32LE(28) / 2, 28);
    await writeFile(join(container.mediaRoot, `${name}.wav`), bytes);
    const answer = await call(chunkRequest(`${name}.wav`, name, 4, { chunkDuration: 1, overlapDuration: 0 }));
    expect(answer).toMatchObject({ status: 200, body: { totalDuration: 4 } });
    for (const index of [0, 1, 2, 3]) {
      const chunk = await samplesOf(join(container.mediaRoot, name, String(index)), rate);
      const { lag, likeness } = placement(chunk, whole, index, rate);
      expect(lag, `chunk ${index} of ${name}`).toBe(0);
      expect(likeness).toBeGreaterThan(0.99);
    }
  }
});

test('cuts DSD128, which ffmpeg decodes to 705,600 Hz, into FLAC of a rate that FLAC can have', async () => {
  const path = join(container.mediaRoot, 'fast.dff');
  await writeFile(path, dffFile(2, 2 * 2_822_400));
  const answer = await call(chunkRequest('fast.dff', 'fast', 2, { chunkDuration: 1, overlapDuration: 0 }));
  expect(answer).toMatchObject({ status: 200, body: { totalDuration: 2, chunks: [{ duration: 1 }, { duration: 1 }] } });
  const whole = await samplesOf(path, rate);
  for (const index of [0, 1]) {
    const chunk = join(container.mediaRoot, 'fast', String(index));
    expect(await probeAudio(chunk)).toMatchObject({ codec: 'flac', sampleRate: 352_800 });
    const { likeness } = placement(await samplesOf(chunk, rate), whole, index, rate);
    expect(likeness).toBeGreaterThan(0.99);
  }
});

test('cuts floating-point samples that are no numbers as silence', async () => {
  const samples = new Float32Array(3 * rate).fill(0.25);
  samples.set([Number.NaN, Infinity, 1e30], 1.5 * rate);
  const shape = { tag: 3, channels: 1, sampleRate: rate, bitsPerSample: 32 };
  await writeFile(join(container.mediaRoot, 'nan.wav'), wavFile(shape, Buffer.from(samples.buffer)));
  const answer = await call(chunkRequest('nan.wav', 'nan', 3, { chunkDuration: 1, overlapDuration: 0 }));
  expect(answer).toMatchObject({ status: 200, body: { totalDuration: 3 } });
  const chunk = await readFile(join(container.mediaRoot, 'nan', '1'));
  const cut = new Float32Array(
    chunk.subarray(-4 * rate).buffer.slice(chunk.byteOffset + chunk.length - 4 * rate, chunk.byteOffset + chunk.length),
  );
  const expected = new Float32Array(rate).fill(0.25).fill(0, 0.5 * rate, 0.5 * rate + 3);
  expect(cut).toEqual(expected);
});

test('cuts PCM at the exact sample, so that the chunks joined are the source', async () => {
  const source = await makeMedia(container.mediaRoot, 'music.wav', '-i', musicOgg, '-t', '12', '-c:a', 'pcm_s16le');
  expect((await call(chunkRequest('music.wav', 'exact', 3, { chunkDuration: 4, overlapDuration: 0 }))).status).toBe(
    200,
  );
  const list = [0, 1, 2].flatMap((index) => ['-i', join(container.mediaRoot, 'exact', String(index))]);
  const joined = await makeMedia(
    container.mediaRoot,
    'joined.wav',
    ...list,
    ...words('-filter_complex concat=n=3:v=0:a=1 -c:a pcm_s16le'),
  );
  expect(await pcmDigest(joined, 's16le')).toBe(await pcmDigest(source, 's16le'));
});

describe('boundaries', () => {
  beforeAll(async () => {
    await makeMedia(container.mediaRoot, 'speech.wav', '-i', speechWav, '-c:a', 'pcm_s16le');
    await makeMedia(container.mediaRoot, 'exact.wav', '-i', speechWav, '-t', '6', '-c:a', 'pcm_s16le');
  });

  test.each([
    ['exactly one chunk long', 'exact.wav', { chunkDuration: 6, overlapDuration: 2 }, 1, 6],
    ['shorter than a chunk', 'exact.wav', {}, 1, 6],
    ['a sample longer than a chunk', 'exact.wav', { chunkDuration: 5.99, overlapDuration: 2 }, 2, 2.01],
    ['no overlap', 'exact.wav', { chunkDuration: 2, overlapDuration: 0 }, 3, 2],
    ['much overlap', 'exact.wav', { chunkDuration: 4, overlapDuration: 3.5 }, 5, 4],
  ])('cuts a source into chunks at this boundary: %s', async (_what, source, figures, count, lastSeconds) => {
    const answer = await call(chunkRequest(source, 'figures', count, figures));
    expect(answer).toMatchObject({ status: 200, body: { totalChunks: count, totalDuration: 6 } });
    expect(answer.body.chunks.at(-1).duration).toBeCloseTo(lastSeconds, 2);
  });

  test.each<[given: number, needed: number, figures?: Record<string, number>]>([
    [1, 4],
    [3, 4],
    [5, 4],
    [2, 10_925_993_076, { overlapDuration: 5 - 2 ** -30 }],
  ])('rejects a request for %i chunks if %i are needed, and uploads nothing', async (given, needed, figures = {}) => {
    const usual = { chunkDuration: 5, overlapDuration: 1 };
    const answer = await call(chunkRequest('speech.wav', `mismatch-${given}`, given, { ...usual, ...figures }));
    expect(answer).toMatchObject({ status: 422, body: { code: 'chunk_count_mismatch', details: { needed, given } } });
    await expect(stat(join(container.mediaRoot, `mismatch-${given}`))).rejects.toThrow('ENOENT');
  });

  test('makes no chunks of a truncated source', async () => {
    const whole = await makeMedia(container.mediaRoot, 'whole.flac', '-i', speechWav);
    await truncate(whole, Math.round((await stat(whole)).size / 2));
    const answer = await call(chunkRequest('whole.flac', 'cut-short', 1));
    expect(answer).toMatchObject({ status: 422, body: { code: 'source_truncated' } });
    await expect(stat(join(container.mediaRoot, 'cut-short'))).rejects.toThrow('ENOENT');
  });
});

describe('odd sources', () => {
  test('keeps a gap in the time stamps at its length', async () => {
    const hole = ['-af', "aselect='not(between(t,4,7))'", '-fps_mode', 'passthrough', '-c:a', 'libopus'];
    // The packets of the Ogg file itself have some wrong time stamps.
    const music = await makeMedia(container.mediaRoot, 'hole.wav', '-i', musicOgg, '-t', '12');
    const source = await makeMedia(container.mediaRoot, 'hole.webm', '-i', music, ...hole);
    const answer = await call(chunkRequest('hole.webm', 'hole', 3, { chunkDuration: 5, overlapDuration: 1 }));
    expect(answer).toMatchObject({ status: 200, body: { totalChunks: 3 } });
    const whole = await samplesOf(source, rate);
    const last = await samplesOf(join(container.mediaRoot, 'hole/2'), rate);
    const { lag, likeness } = placement(last, whole, 8, rate);
    expect(likeness).toBeGreaterThan(0.9);
    expect(Math.abs(lag)).toBeLessThanOrEqual(0.05);
  });

  test('accepts one count of chunks for a source whose damage gives it two lengths', async () => {
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=r=44100:d=12:seed=3:a=0.3', '-c:a', 'aac', '-b:a', '96k'];
    const path = await makeMedia(container.mediaRoot, 'two-lengths.aac', ...noise);
    const file = await readFile(path);
    const at = adtsFrames(file)[200] ?? 0;
    // A lost frame: time stamps count 1024 samples that are not decoded.
    await writeFile(path, file.fill(0xff, at + 7, at + 100));
    const asked = await call(chunkRequest('two-lengths.aac', 'asked', 2, { chunkDuration: 3600, overlapDuration: 0 }));
    const frameSeconds = 1024 / 44_100;
    // Three chunks hold all decoded samples. By time stamps, a fourth has half a frame.
    const figures = { chunkDuration: (asked.body.details.duration - frameSeconds / 2) / 3, overlapDuration: 0 };
    const answers = [];
    for (const count of [3, 4])
      answers.push(await call(chunkRequest('two-lengths.aac', `is-${count}`, count, figures)));
    expect(answers).toMatchObject([
      { status: 200, body: { totalChunks: 3 } },
      { status: 422, body: { code: 'chunk_count_mismatch', details: { needed: 3, given: 4 } } },
    ]);
  });

  test('cuts only the sound of a video', async () => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=10:d=12'];
    await makeMedia(container.mediaRoot, 'v.mp4', ...picture, '-i', musicOgg, '-t', '12', '-c:a', 'aac');
    const answer = await call(chunkRequest('v.mp4', 'video', 3, { chunkDuration: 5, overlapDuration: 1 }));
    expect(answer).toMatchObject({ status: 200, body: { totalChunks: 3 } });
    const { streams } = (await probe(join(container.mediaRoot, 'video/1'), '-show_streams')) as {
      streams: { codec_type: string; codec_name: string }[];
    };
    expect(streams.map(({ codec_type, codec_name }) => [codec_type, codec_name])).toEqual([['audio', 'aac']]);
  });

  test('keeps late sound in step with its video', async () => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:r=10:d=13'];
    const delayed = ['-itsoffset', '1', '-i', musicOgg, '-t', '13', '-c:v', 'libx264', '-c:a', 'libmp3lame'];
    const source = await makeMedia(container.mediaRoot, 'delayed.mkv', ...picture, ...delayed);
    const needed = await call(chunkRequest('delayed.mkv', 'delayed', 1, { chunkDuration: 5, overlapDuration: 1 }));
    const { needed: count } = needed.body.details;
    const answer = await call(chunkRequest('delayed.mkv', 'delayed', count, { chunkDuration: 5, overlapDuration: 1 }));
    expect(answer.status).toBe(200);
    // A second of silence before the sound keeps the chunks in step with the video.
    const whole = Int16Array.from([...new Int16Array(rate), ...(await samplesOf(source, rate))]);
    expect(whole.length / rate).toBeCloseTo(answer.body.totalDuration, 1);
    for (const { index, start } of answer.body.chunks.slice(1)) {
      const { lag } = placement(
        await samplesOf(join(container.mediaRoot, 'delayed', String(index)), rate),
        whole,
        start,
        rate,
        1.5,
      );
      expect(Math.abs(lag)).toBeLessThanOrEqual(0.05);
    }
  });
});
