import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { joinSegments, makePackageOf, readDash, readHls } from './packages.ts';
import { clapFilm, clicksOf, quickH264 } from '../../../support/films.ts';

const service = await useEncodes();
const { encode, file, make, outputFile } = service;
const run = promisify(execFile);

async function samplesOfFile(path: string): Promise<Buffer> {
  const args = ['-v', 'error', '-i', path, '-f', 's16le', '-'];
  return (await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 64 * 1024 ** 2 })).stdout;
}

const joinPart = async (folder: string, part: string): Promise<string> =>
  await joinSegments(
    join(folder, part),
    (await readdir(join(folder, part))).filter((name) => name.endsWith('.m4s')).toSorted(),
    file(`${part}.mp4`),
  );

test('packages Opus with the samples of the same sound in Ogg, beside AAC', async () => {
  const opus = { codec: 'opus', sampleRate: 48_000, channels: 2 };
  const audio = [{ ...opus, bitrate: 96 }, { ...opus, bitrate: 32 }, { bitrate: 64 }];
  const output = { preset: 'hls-audio', segmentSeconds: 1.5, audio };
  const answer = await makePackageOf(service, 'music.wav', output, 'ladder');
  expect(answer.streams).toMatchObject([
    { codec: 'opus', bitrate: 96 },
    { codec: 'opus', bitrate: 32 },
    { codec: 'aac', bitrate: 64 },
  ]);
  const folder = file('out/ladder');
  const { variants } = await readHls(join(folder, 'master.m3u8'));
  expect(variants.map(({ uri, codecs }) => [uri, codecs])).toEqual([
    ['a/main.m3u8', 'opus'],
    ['a-2/main.m3u8', 'opus'],
    ['a-3/main.m3u8', 'mp4a.40.2'],
  ]);
  const manifest = await readFile(join(folder, 'manifest.mpd'), 'utf8');
  expect(manifest.match(/codecs="opus" mimeType="audio\/mp4" audioSamplingRate="48000"/g)).toHaveLength(2);
  await encode(
    'music.wav',
    audio.slice(0, 2).map((one) => ({ container: 'ogg', audio: one })),
  );
  for (const [index, part] of ['a', 'a-2'].entries()) {
    const init = await readFile(join(folder, part, 'init.mp4'));
    // 312 samples are not played (RFC 7845, 4.2); the decoder and the edit list both skip them.
    const head = init.indexOf('dOps');
    expect(init.readUInt16BE(head + 6)).toBe(312);
    expect(init.readUInt32BE(init.indexOf('elst') + 16)).toBe(312);
    const wanted = await samplesOfFile(outputFile('music.wav', index));
    const found = await samplesOfFile(await joinPart(folder, part));
    expect(found.subarray(0, wanted.length).equals(wanted), part).toBe(true);
    // The last frame of 20 ms may be longer.
    expect(found.length - wanted.length).toBeLessThan(960 * 4);
  }
});

test('offers Opus and AAC beside pictures in groups of their own, each in step', async () => {
  await make('claps.mp4', ...clapFilm(5), ...quickH264, '-c:a', 'aac', '-metadata:s:a:0', 'language=eng');
  const audio = [{ codec: 'opus', bitrate: 64 }, { bitrate: 96 }];
  const output = {
    package: ['hls' as const, 'dash' as const],
    video: { speed: 'fast' as const },
    audio,
    segmentSeconds: 2,
  };
  await makePackageOf(service, 'claps.mp4', output, 'claps');
  const folder = file('out/claps');
  const master = await readHls(join(folder, 'master.m3u8'));
  const shown = master.variants.filter(({ isIFrameOnly }) => !isIFrameOnly);
  expect(shown.map(({ codecs, audio: sounds }) => [codecs.split(',')[1], sounds])).toEqual([
    ['opus', [expect.objectContaining({ uri: 'a/main.m3u8', name: 'English', isDefault: true, groupId: 'audio' })]],
    [
      'mp4a.40.2',
      [expect.objectContaining({ uri: 'a-2/main.m3u8', name: 'English', isDefault: true, groupId: 'audio-aac' })],
    ],
  ]);
  expect(Object.keys((await readDash(join(folder, 'manifest.mpd'))).mediaGroups.AUDIO['audio'] ?? {})).not.toEqual([]);
  for (const part of ['a', 'a-2']) {
    const clicks = await clicksOf(await joinPart(folder, part));
    expect(clicks).toHaveLength(5);
    for (const [index, click] of clicks.entries()) expect(Math.abs(click - (index + 0.48)), part).toBeLessThan(0.003);
  }
});
