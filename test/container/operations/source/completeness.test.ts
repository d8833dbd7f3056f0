import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ChunkResult } from '../../../../contract/http/chunk.ts';
import { musicOgg } from '../../../support/media.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { samplesOf, words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, expectNothingUploaded, file, make } = service;

const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=8'];
const wav = [{ format: 'wav' }];

async function cutInHalf(name: string): Promise<void> {
  await truncate(file(name), Math.round((await stat(file(name))).size / 2));
}

async function plainSeconds(name: string): Promise<number> {
  return (await samplesOf(file(name), 8000)).length / 8000;
}

describe('sources that declare their length', () => {
  test.each(
    rowsExcept(
      ['film.avi', 'a.flv', 'a.mp3', 'a.webm', 'a.aiff', 'a.au', 'a.w64', 'a.wma'],
      [
        ['pcm.avi', [], ['-c:a', 'pcm_s16le']],
        ['film.avi', picture, ['-c:v', 'mpeg4', '-c:a', 'libmp3lame']],
        ['a.flv', [], ['-c:a', 'libmp3lame']],
        ['film.flv', picture, ['-c:v', 'flv', '-c:a', 'libmp3lame']],
        ['film.mxf', picture, ['-r', '25', '-c:v', 'mpeg2video', '-c:a', 'pcm_s16le', '-ar', '48000']],
        ['film.mkv', picture, ['-c:v', 'libx264', '-c:a', 'libopus']],
        ['film.wmv', picture, ['-c:v', 'wmv2', '-c:a', 'wmav2']],
        ['dash.mp4', [], ['-movflags', '+dash+global_sidx', '-frag_duration', '500000']],
        ['a.tta', [], []],
        ['a.wv', [], []],
        ['a.flac', [], []],
        ['telephone.mp3', [], ['-ar', '8000']],
        ['a.wav', [], []],
        ['a.mp3', [], ['-b:a', '128k']],
        ['vbr.mp3', [], ['-q:a', '4']],
        ['a.webm', [], ['-c:a', 'libopus']],
        ['a.mka', [], ['-c:a', 'libvorbis']],
        ['a.m4a', [], ['-movflags', '+faststart']],
        ['a.aiff', [], []],
        ['a.au', [], []],
        ['a.caf', [], []],
        ['a.w64', [], []],
        ['a.wma', [], []],
      ],
    ),
  )('calls %s complete, and rejects half of it as source_truncated', async (name, before, after) => {
    await make(name, ...before, '-i', musicOgg, '-t', '8', ...after);
    const whole = await encode(name, wav);
    expect(whole.body).toMatchObject({ success: true, source: { complete: true } });
    await cutInHalf(name);
    const half = `half-${name}`;
    await rename(file(name), file(half));
    expect(await encode(half, wav)).toMatchObject({
      status: 422,
      body: {
        code: 'source_truncated',
        details: { declaredSeconds: expect.closeTo(8, 0), actualSeconds: expect.any(Number) },
      },
    });
    await expectNothingUploaded(half);
  });
});

describe('fragmented films with a segment index for each stream', () => {
  const fragments = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10', '-movflags', '+dash+global_sidx'];
  const outputs = [{ container: 'mp4', video: { codec: 'h264', speed: 'fast' } }, ...wav] as const;

  test('rejects as source_truncated one that lacks its last fragments', async () => {
    await make('fragments.mp4', ...picture, '-i', musicOgg, '-t', '8', '-c:a', 'aac', ...fragments);
    expect((await encode('fragments.mp4', outputs)).body).toMatchObject({ success: true, source: { complete: true } });
    const bytes = await readFile(file('fragments.mp4'));
    await writeFile(file('border.mp4'), bytes.subarray(0, bytes.indexOf('moof', bytes.length / 2) - 4));
    for (const output of outputs) {
      expect(await encode('border.mp4', [output])).toMatchObject({
        status: 422,
        body: { code: 'source_truncated', details: { declaredSeconds: expect.closeTo(8, 0) } },
      });
    }
    await expectNothingUploaded('border.mp4');
  });

  test.each([
    ['starts late', ['-itsoffset', '5'], ['-shortest']],
    ['ends early', [], ['-af', 'atrim=end=3']],
  ])('encodes one whose sound %s', async (_, before, after) => {
    await make('uneven.mp4', ...picture, ...before, '-i', musicOgg, '-t', '8', '-c:a', 'aac', ...fragments, ...after);
    for (const output of outputs) {
      expect((await encode('uneven.mp4', [output])).body).toMatchObject({ success: true });
    }
  });
});

describe('sources with a little missing', () => {
  test.each([
    ['little.wav', []],
    ['little.flac', []],
    ['little.m4a', ['-movflags', '+faststart']],
    ['little.mka', ['-c:a', 'flac']],
  ])('reports that a little of %s is missing', async (name, args) => {
    await make(name, '-i', musicOgg, '-t', '8', ...args);
    await truncate(file(name), Math.round((await stat(file(name))).size * 0.95));
    expect((await encode(name, wav)).body).toMatchObject({ success: true, source: { complete: false } });
  });
});

describe('half files that declare no length', () => {
  test.each([
    ['half.ogg', ['-c:a', 'libvorbis'], false],
    ['half.opus', [], false],
    ['half-fragments.mp4', ['-movflags', '+frag_keyframe+empty_moov', '-frag_duration', '500000'], false],
    ['half.aac', [], 'unknown'],
    ['half.ts', ['-c:a', 'aac'], 'unknown'],
    ['half-no-xing.mp3', ['-write_xing', '0'], false],
  ])('encodes %s, which declares no length, and does not call it complete', async (name, args, complete) => {
    await make(name, '-i', musicOgg, '-t', '8', ...args);
    await cutInHalf(name);
    const answer = await encode(name, wav);
    expect(answer.body).toMatchObject({ success: true, source: { complete } });
    expect(Math.abs(answer.body.source.duration - (await plainSeconds(name)))).toBeLessThan(0.002);
  });
});

describe('recordings that a program piped', () => {
  const ofSox = (bytes: Buffer, at: number) => bytes.writeUInt32BE(0x7f_00_00_08, at);
  test.each([
    ['arecord', 'piped.wav', 'data', (bytes: Buffer, at: number) => bytes.writeUInt32LE(0x80_00_00_00, at), 2],
    ['SoX', 'piped.aiff', 'SSND', ofSox, 2],
    // The header counts the samples of 37 hours, which is more than the limit.
    ['SoX', 'telephone.aiff', 'SSND', ofSox, 1],
  ])(
    'encodes the whole file of %s, whose header declares 2 GiB: %s',
    async (_program, name, id, writeSize, channels) => {
      const rate = channels === 1 ? '8000' : '44100';
      await make(name, '-i', musicOgg, '-t', '8', '-ac', `${channels}`, '-ar', rate);
      const bytes = await readFile(file(name));
      const frames = bytes.indexOf('COMM') + 10;
      if (frames > 10) bytes.writeUInt32BE(0x7f_00_00_00 / 2 / channels, frames);
      writeSize(bytes, bytes.indexOf(id) + 4);
      await writeFile(file(name), bytes);
      const answer = await encode(name, wav);
      expect(answer.body).toMatchObject({ success: true, source: { complete: 'unknown', duration: 8 } });
    },
  );
});

describe('recordings of a killed recorder', () => {
  /** Kills ffmpeg, which records without end, once 100,000 bytes exist. */
  async function recordAndKill(name: string, args: string[]): Promise<void> {
    const input = ['-readrate', '20', '-stream_loop', '-1', '-i', file('music.wav')];
    const recorder = spawn('ffmpeg', [
      ...words('-v quiet -nostdin -y'),
      ...input,
      ...args,
      '-flush_packets',
      '1',
      file(name),
    ]);
    const ended = once(recorder, 'exit');
    const size = async (): Promise<number> => (await stat(file(name)).catch(() => undefined))?.size ?? 0;
    while ((await size()) < 100_000) await delay(20);
    recorder.kill('SIGKILL');
    await ended;
  }

  test.each(
    rowsExcept(
      ['live.webm', 'live.nut', 'live.flac', 'live.wma', 'live.wv', 'live.au'],
      [
        ['live.mkv', ['-c:a', 'libopus'], /unknown|false/],
        ['live.webm', ['-c:a', 'libopus'], /unknown|false/],
        ['live.avi', ['-c:a', 'pcm_s16le'], /false/],
        ['live.flv', ['-c:a', 'libmp3lame'], /unknown|false/],
        [
          'live.mp4',
          ['-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov', '-frag_duration', '200000'],
          /unknown|false/,
        ],
        ['live.ogg', ['-c:a', 'libvorbis'], /false/],
        ['live.ts', ['-c:a', 'aac'], /unknown/],
        ['live.nut', ['-c:a', 'flac'], /unknown/],
        ['live.wav', ['-c:a', 'pcm_s16le'], /unknown/],
        ['live.flac', [], /unknown/],
        ['live.mp3', [], /unknown|false/],
        ['live.wma', [], /unknown/],
        ['live.wv', [], /unknown/],
        ['live.au', [], /unknown/],
      ],
    ),
  )(
    'encodes %s of a killed recorder at its full length, and does not call it complete',
    async (name, args, complete) => {
      await recordAndKill(name, args);
      const answer = await encode(name, wav);
      expect(answer.body).toMatchObject({ success: true });
      expect(String(answer.body.source.complete)).toMatch(complete);
      expect(Math.abs(answer.body.source.duration - (await plainSeconds(name)))).toBeLessThan(0.002);
    },
  );
});

test('reports the completeness of a source that is cut into chunks', async () => {
  await make('told.ogg', '-i', musicOgg, '-t', '8', '-c:a', 'libvorbis');
  const chunk = async () => {
    const chunks = [{ index: 0, uploadUrl: service.container.fileUrl('out/told/0') }];
    const request = { sourceUrl: service.container.fileUrl('told.ogg'), chunkDuration: 60, overlapDuration: 2, chunks };
    return ChunkResult.parse((await service.container.call('POST', '/chunk', request)).body).source;
  };
  expect(await chunk()).toMatchObject({ duration: 8, channels: 2, sampleRate: 44_100, complete: true });
  await cutInHalf('told.ogg');
  expect(await chunk()).toMatchObject({ complete: false });
});
