import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { sha256Of } from '../../../support/media-files.ts';
import { joinSegments, makePackageOf, readDash, readHls, readM3u8 } from './packages.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  pictureHashes,
  picturePackets,
  pictureTimes,
  quickH264,
} from '../../../support/films.ts';

const service = await useEncodes();
const { encode, file, make, outputFile } = service;
const run = promisify(execFile);

const makeClaps = async (): Promise<string> =>
  await make(
    'claps.mp4',
    ...[...clapFilm(13), '-map', '0', '-map', '1', '-map', '1', ...quickH264, '-c:a', 'aac'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
  );

const sizes = { video: { speed: 'fast' as const }, renditions: [{ height: 90 }, { height: 46, maxBitrate: 60 }] };

test('offers each size and language as HLS and DASH of the same segments, in step and equal to films', async () => {
  await makeClaps();
  const audio = [{ track: 'eng' }, { track: 'deu', name: 'Deutsch (Original)', bitrate: 96 }];
  const answer = await makePackageOf(service, 'claps.mp4', { package: ['hls', 'dash'], ...sizes, audio }, 'claps');
  const folder = file('out/claps');

  // The answer describes every stored file.
  const names = (answer.files ?? []).map(({ name }) => name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const stored = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(stored.toSorted()).toEqual(names.map((name) => join(folder, name)).toSorted());
  for (const { name, size, sha256 } of answer.files ?? []) {
    expect((await stat(join(folder, name))).size).toBe(size);
    expect(await sha256Of(join(folder, name))).toBe(sha256);
  }
  // The sound of the source is longer than its pictures by one frame of AAC.
  expect(answer).toMatchObject({ package: ['hls', 'dash'], duration: expect.closeTo(13, 1) });
  expect(answer.size).toBe(answer.files?.reduce((sum, { size }) => sum + size, 0));
  expect(names.at(-1)).toBe('master.m3u8');

  // Three independent parsers read the package.
  const master = await readHls(join(folder, 'master.m3u8'));
  expect(master.variants.map(({ uri, codecs }) => [uri, codecs])).toEqual([
    ['v90/main.m3u8', expect.stringMatching(/^avc1\.64.*,mp4a\.40\.2$/)],
    ['v46/main.m3u8', expect.stringMatching(/^avc1\.64.*,mp4a\.40\.2$/)],
    ['v90/iframes.m3u8', expect.stringMatching(/^avc1\.64/)],
    ['v46/iframes.m3u8', expect.stringMatching(/^avc1\.64/)],
  ]);
  expect(master.variants[0]?.audio.toSorted((one) => (one.isDefault ? -1 : 1))).toMatchObject([
    { language: 'en', name: 'English', isDefault: true, uri: 'a/main.m3u8' },
    { language: 'de', name: 'Deutsch (Original)', isDefault: false, uri: 'a-2/main.m3u8' },
  ]);
  expect(await readFile(join(folder, 'master.m3u8'), 'utf8')).toContain('#EXT-X-INDEPENDENT-SEGMENTS');
  expect(await readM3u8(join(folder, 'v90/main.m3u8'))).toMatchObject({
    ...{ endList: true, targetDuration: 7, playlistType: 'VOD' },
    segments: [6, 6, 1].map((duration, index) => ({ duration, uri: `${index + 1}.m4s`, map: { uri: 'init.mp4' } })),
  });
  expect((await readHls(join(folder, 'v90/iframes.m3u8'))).segments).toHaveLength(7);
  const manifest = await readDash(join(folder, 'manifest.mpd'));
  expect(manifest.playlists.map(({ segments }) => segments.length)).toEqual([3, 3]);
  expect(Object.values(manifest.mediaGroups.AUDIO['audio'] ?? {}).map(({ language }) => language)).toEqual([
    'en',
    'de',
  ]);

  // The pictures equal those of a film of the same settings, and each segment plays alone.
  const video = { ...sizes.video, keyframeInterval: 2 };
  await encode(
    'claps.mp4',
    sizes.renditions.map((size) => ({ container: 'mp4', video: { ...video, ...size } })),
  );
  for (const [index, name] of ['v90', 'v46'].entries()) {
    const film = outputFile('claps.mp4', index);
    const segments = ['1.m4s', '2.m4s', '3.m4s'];
    const whole = await joinSegments(join(folder, name), segments, file(`${name}.mp4`));
    const hashes = await pictureHashes(film);
    expect(await pictureHashes(whole)).toEqual(hashes);
    expect(await pictureTimes(whole)).toEqual(hashes.map((_, frame) => frame / 25));
    const alone: string[] = [];
    for (const segment of segments) {
      const path = await joinSegments(join(folder, name), [segment], file(`alone-${name}.mp4`));
      alone.push(...(await pictureHashes(path)));
    }
    expect(alone).toEqual(hashes);
  }

  // Sound and pictures of each clap are in step.
  const claps = Array.from({ length: 13 }, (_, index) => index + 0.48);
  for (const sound of ['a', 'a-2']) {
    const whole = await joinSegments(join(folder, sound), ['1.m4s', '2.m4s', '3.m4s'], file(`${sound}.mp4`));
    const clicks = await clicksOf(whole);
    expect(clicks).toHaveLength(claps.length);
    for (const [index, click] of clicks.entries()) expect(Math.abs(click - (claps[index] ?? NaN))).toBeLessThan(0.005);
  }
  const flashes = await flashesOf(file('v90.mp4'));
  expect(flashes).toEqual(claps.map((time) => expect.closeTo(time, 5)));
});

test('offers each track of one language as a choice of its own, and only the first as that of the language', async () => {
  await makeClaps();
  const audio = [{ track: 'eng' }, { track: 'deu' }, { track: 'deu', name: 'हिन्दी समीक्षा' }];
  const wanted = { package: ['hls', 'dash'] as ('hls' | 'dash')[], ...sizes, audio };
  await makePackageOf(service, 'claps.mp4', wanted, 'commentary');
  const manifest = await readFile(file('out/commentary/manifest.mpd'), 'utf8');
  const sets = manifest.split('<AdaptationSet ').filter((set) => set.includes('contentType="audio"'));
  expect(sets.map((set) => [/<Label>(.*)<\/Label>/.exec(set)?.[1], set.split('<Representation ').length - 1])).toEqual(
    expect.arrayContaining([
      ['English', 1],
      ['Deutsch', 1],
      ['हिन्दी समीक्षा', 1],
    ]),
  );
  expect(sets).toHaveLength(3);
  const master = await readFile(file('out/commentary/master.m3u8'), 'utf8');
  const selected = [...master.matchAll(/NAME="(.*)",DEFAULT=(\w+)(,AUTOSELECT=YES)?/g)].map(
    ([, name, isDefault, isSelected]) => [name, `${isDefault}${isSelected ?? ''}`],
  );
  expect(Object.fromEntries(selected)).toEqual({
    English: 'YES,AUTOSELECT=YES',
    Deutsch: 'NO,AUTOSELECT=YES',
    'हिन्दी समीक्षा': 'NO',
  });
});

test('trims and fades a package like a film, in all sizes and tracks', async () => {
  await makeClaps();
  const cut = { trim: { start: 2.2, end: 6.2 }, fade: { in: 0.2, out: 0.4 } };
  const audio = [{ track: 'eng' }, { track: 'deu' }];
  const wanted = { package: ['hls', 'dash'] as ('hls' | 'dash')[], ...sizes, ...cut, audio };
  expect((await makePackageOf(service, 'claps.mp4', wanted, 'cut')).duration).toBeCloseTo(4, 2);
  const video = { ...sizes.video, keyframeInterval: 2 };
  const plain = { codec: 'aac', bitrate: 128, channels: 2, sampleRate: 48_000 };
  const films = sizes.renditions.map((size, index) => {
    const { track } = audio[index] ?? {};
    return {
      container: 'mp4',
      video: { ...video, ...size },
      audio: plain,
      ...cut,
      ...(track !== undefined && { track }),
    };
  });
  await encode('claps.mp4', films);
  for (const [index, [pictures, sound]] of [['v90', 'a'] as const, ['v46', 'a-2'] as const].entries()) {
    const film = outputFile('claps.mp4', index);
    const whole = await joinSegments(file(`out/cut/${pictures}`), ['1.m4s'], file(`cut-${pictures}.mp4`));
    const hashes = await pictureHashes(film);
    expect(hashes).toHaveLength(100);
    expect(await pictureHashes(whole)).toEqual(hashes);
    const heard = await joinSegments(file(`out/cut/${sound}`), ['1.m4s'], file(`cut-${sound}.mp4`));
    const samplesOf = async (path: string): Promise<Buffer> =>
      (
        await run('ffmpeg', ['-v', 'error', '-i', path, '-vn', '-f', 's16le', '-'], {
          encoding: 'buffer',
          maxBuffer: 2 ** 24,
        })
      ).stdout;
    const samples = await samplesOf(film);
    expect(samples.length).toBeGreaterThan(3.9 * 48_000 * 2);
    // ffmpeg decodes the encoder's padding in fragments, and skips it in a film.
    const priming = 1024 * 2 * 2;
    const found = (await samplesOf(heard)).subarray(priming, priming + samples.length);
    expect(found.equals(samples), sound).toBe(true);
  }
});

test('packages only pictures if the trim begins after the end of the sound', async () => {
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=2'];
  await make('short-sound.mp4', ...pictures, '-f', 'lavfi', '-i', 'sine=d=1', ...quickH264, '-c:a', 'aac');
  const wanted = { package: ['hls' as const], ...sizes, trim: { start: 1.2 } };
  const answer = await makePackageOf(service, 'short-sound.mp4', wanted, 'behind-sound');
  expect(answer.streams).toMatchObject([
    { kind: 'video', height: 90, frames: 20 },
    { kind: 'video', height: 46 },
  ]);
  expect((await readHls(file('out/behind-sound/master.m3u8'))).variants.every(({ audio }) => audio.length === 0)).toBe(
    true,
  );
});

// The guess follows from the bitrate of the beginning.
test.each([
  ['long, before the encode', 'anullsrc', 'anoisesrc', 'probe'],
  ['short, before the verification', 'anoisesrc', 'anullsrc', 'encode'],
])('refuses sound with too many files if the guess of its length is %s', async (_guess, first, rest, phase) => {
  const minute = async (source: string): Promise<Buffer> =>
    await readFile(
      await make(`${source}.aac`, '-f', 'lavfi', '-i', `${source}=r=8000:d=60`, '-ac', '1', '-b:a', '24k'),
    );
  await writeFile(
    file('radio.aac'),
    Buffer.concat([await minute(first), ...Array<Buffer>(85).fill(await minute(rest))]),
  );
  const audio = [{ codec: 'aac' as const, bitrate: 16, sampleRate: 8000, channels: 1 }];
  const output = { package: ['hls' as const], video: false as const, audio, segmentSeconds: 1 };
  const made = makePackageOf(service, 'radio.aac', output, 'radio');
  await expect(made).rejects.toThrow(new RegExp(`"phase":"${phase}".*would have about 51\\d\\d files`));
});

test('stores one media file for each size and language with byte ranges', async () => {
  await makeClaps();
  const packaged = { layout: 'byte_ranges', segmentSeconds: 4, verify: 'full', ...sizes } as const;
  const answer = await makePackageOf(service, 'claps.mp4', { package: ['hls', 'dash'], ...packaged }, 'ranges');
  expect(answer.files?.map(({ name }) => name)).toEqual([
    ...['v90.mp4', 'v90-iframes.m3u8', 'v90.m3u8', 'v46.mp4', 'v46-iframes.m3u8', 'v46.m3u8'],
    ...['a.mp4', 'a.m3u8', 'manifest.mpd', 'master.m3u8'],
  ]);
  const folder = file('out/ranges');
  const { segments } = await readHls(join(folder, 'v90.m3u8'));
  expect(segments.map(({ duration }) => duration)).toEqual([4, 4, 4, 1]);
  const args = ['-v', 'error', '-i', join(folder, 'master.m3u8'), '-map', '0:v:0', '-f', 'null', '-'];
  expect((await run('ffmpeg', args)).stderr).toBe('');
});

test('chooses the renditions of a portrait film and of sound alone from the source', async () => {
  await make('phone.mp4', '-f', 'lavfi', '-i', 'color=gray:s=406x720:r=30000/1001:d=3', ...quickH264);
  const video = { speed: 'fast' } as const;
  const film = await makePackageOf(service, 'phone.mp4', { package: ['dash'], video }, 'phone');
  expect(film.streams).toMatchObject([{ width: 406, height: 720 }]);
  expect(film.files?.map(({ name }) => name)).toEqual(['v720/1.m4s', 'v720/init.mp4', 'manifest.mpd']);
  const square = { ...video, width: 360, height: 360, pad: 'black' } as const;
  const padded = await makePackageOf(service, 'phone.mp4', { package: ['dash'], video: square }, 'square');
  expect(padded.streams).toMatchObject([{ width: 360, height: 360 }]);
  const audio = [{ bitrate: 128 }, { bitrate: 64 }];
  const podcast = await makePackageOf(service, 'music.wav', { package: ['hls'], video: false, audio }, 'music');
  expect(podcast.streams).toMatchObject([{ bitrate: 128 }, { bitrate: 64 }]);
  const master = await readHls(file('out/music/master.m3u8'));
  expect(master.variants.map(({ uri }) => uri)).toEqual(['a/main.m3u8', 'a-2/main.m3u8']);
});

test('keeps the time of each picture of variable rate, in the durations of playlists too', async () => {
  // A screen recording has ten pictures a second, and 30 in the last.
  const rate = ['-vf', "select='gte(n,90)+not(mod(n,3))'", '-fps_mode', 'vfr'];
  await make('screen.mkv', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=30:d=4', ...rate, ...quickH264);
  for (const codec of ['h264', 'hevc', 'av1'] as const) {
    const video = { codec, speed: 'fast' } as const;
    const wanted = {
      package: ['hls', 'dash'] as ('hls' | 'dash')[],
      video,
      renditions: [{ height: 90 }, { height: 66 }],
      segmentSeconds: 2,
    };
    const answer = await makePackageOf(service, 'screen.mkv', wanted, `screen-${codec}`);
    expect(answer.streams).toMatchObject([{ frames: 60 }, { frames: 60 }]);
    const folder = file(`out/screen-${codec}`);
    const { segments } = await readHls(join(folder, 'v66/main.m3u8'));
    expect(segments.map(({ duration }) => duration)).toEqual([2, expect.closeTo(2, 2)]);
    expect(await readFile(join(folder, 'master.m3u8'), 'utf8')).toMatch(/FRAME-RATE=(?:19\.99\d|20\.000)/);
    expect(await readFile(join(folder, 'manifest.mpd'), 'utf8')).toMatch(/frameRate="(?:1999\d|20000)\/1000"/);
    const whole = await joinSegments(join(folder, 'v66'), ['1.m4s', '2.m4s'], file(`screen-${codec}.mp4`));
    const times = (await pictureTimes(whole)).toSorted((one, other) => one - other);
    const source = (await picturePackets(file('screen.mkv')))
      .map(({ time }) => time)
      .toSorted((one, other) => one - other);
    const first = source[0] ?? NaN;
    expect(times).toEqual(source.map((time) => expect.closeTo(time - first, 2)));
  }
});

test('plays sound that outlasts the pictures to its end in DASH', async () => {
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=s=82x46:r=25:d=1'];
  await make('outro.mp4', ...pictures, '-f', 'lavfi', '-i', 'sine=440:r=48000:d=4', ...quickH264, '-c:a', 'aac');
  const wanted = {
    package: ['hls', 'dash'] as ('hls' | 'dash')[],
    video: { speed: 'fast' } as const,
    segmentSeconds: 2,
  };
  const answer = await makePackageOf(service, 'outro.mp4', wanted, 'outro');
  const text = await readFile(file('out/outro/manifest.mpd'), 'utf8');
  const [, seconds] = /mediaPresentationDuration="PT([\d.]+)S"/.exec(text) ?? [];
  expect(Number(seconds)).toBeCloseTo(answer.duration ?? NaN, 2);
});
