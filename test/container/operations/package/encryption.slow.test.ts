import { execFile } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { joinSegments, makePackageOf, readDash, readHls } from './packages.ts';
import { clapFilm, quickH264 } from '../../../support/films.ts';
import { matrixTest } from '../../../support/rows.ts';

const service = await useEncodes();
const { file, make } = service;
const run = promisify(execFile);

const key = Buffer.from('0123456789abcdef00112233deadbeef', 'hex');
const keyId = '8a5e2b7c-1d3f-4a60-9b11-c2d3e4f50617';
const keyUri = 'https://keys.test/film?id=7';
const decryption = ['-decryption_key', key.toString('hex')];

/** Two sizes, two languages and segments of fractional seconds. */
const film: DescribedOutput = {
  segmentSeconds: 1.7,
  video: { speed: 'fast' },
  renditions: [{ height: 90 }, { height: 46 }],
  audio: [{ track: 'eng' }, { track: 'deu', bitrate: 96 }],
};
const parts = ['v90', 'v46', 'a', 'a-2'];

const makeFilm = async (): Promise<string> =>
  await make(
    'film.mp4',
    ...[...clapFilm(4), '-map', '0', '-map', '1', '-map', '1', ...quickH264, '-c:a', 'aac'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
  );

async function packageAs(name: string, output: DescribedOutput, source = 'film.mp4'): Promise<string> {
  const answer = await makePackageOf(service, source, output, name);
  expectNoKey(JSON.stringify(answer));
  return file(`out/${name}`);
}

const serveKey = (path: string, bytes: Buffer): string =>
  service.media.on(`GET ${path}`, (_request, response) => void response.end(bytes));

const filesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

function expectNoKey(text: string | Buffer): void {
  const found = text.toString('latin1').toLowerCase();
  for (const secret of [
    key.toString('hex'),
    key.toString('base64'),
    key.toString('base64url'),
    key.toString('latin1'),
  ]) {
    expect(found).not.toContain(secret.toLowerCase());
  }
}

const segmentsOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.m4s')).toSorted();

async function framesOf(path: string, options: readonly string[] = []): Promise<string[]> {
  const args = ['-v', 'error', ...options, '-i', path, '-fps_mode', 'passthrough', '-f', 'framemd5', '-'];
  const { stdout } = await run('ffmpeg', args);
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '');
}

/** Hashes of each segment decoded alone: ffmpeg mixes up the subsamples of joined segments. */
async function framesOfSegments(folder: string, part: string, options: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for (const segment of await segmentsOf(join(folder, part))) {
    found.push(...(await framesOf(await joinSegments(join(folder, part), [segment], file('alone.mp4')), options)));
  }
  return found;
}

const framesOfPart = async (folder: string, part: string): Promise<string[]> =>
  await framesOf(await joinSegments(join(folder, part), await segmentsOf(join(folder, part)), file('whole.mp4')));

afterAll(async () => {
  expectNoKey(service.container.process.output);
  for (const path of await filesOf(file('out'))) expectNoKey(await readFile(path));
});

test('encrypts a package by cbcs and cenc, so that only the key restores its frames', async () => {
  await makeFilm();
  const clear = await packageAs('clear', { package: ['hls', 'dash'], ...film });
  const licenseUrl = 'https://licences.test/?a=1&b=2';
  const common = { key: key.toString('hex'), keyId, keyUri, licenseUrl };
  const cbcs = {
    package: ['hls', 'dash'] as ('hls' | 'dash')[],
    ...film,
    encryption: { scheme: 'cbcs' as const, ...common },
  };
  const folders = {
    cbcs: await packageAs('cbcs', cbcs),
    cenc: await packageAs('cenc', { ...cbcs, layout: 'byte_ranges', encryption: { ...common, scheme: 'cenc' } }),
  };
  for (const part of parts) {
    const alone = await framesOfSegments(clear, part);
    expect(await framesOfSegments(folders.cbcs, part, decryption), `cbcs ${part}`).toEqual(alone);
    expect(await framesOfSegments(folders.cbcs, part).catch(() => []), `cbcs ${part} without its key`).not.toEqual(
      alone,
    );
    const whole = await framesOfPart(clear, part);
    const encrypted = join(folders.cenc, `${part}.mp4`);
    expect(await framesOf(encrypted, decryption), `cenc ${part}`).toEqual(whole);
    expect(await framesOf(encrypted).catch(() => []), `cenc ${part} without its key`).not.toEqual(whole);
  }
  for (const folder of Object.values(folders)) {
    const manifest = await readFile(join(folder, 'manifest.mpd'), 'utf8');
    expect(manifest.match(/cenc:default_KID="8a5e2b7c-1d3f-4a60-9b11-c2d3e4f50617"/g)).toHaveLength(3);
    expect(manifest.match(/>https:\/\/licences\.test\/\?a=1&amp;b=2<\/dashif:Laurl>/g)).toHaveLength(3);
    expect((await readDash(join(folder, 'manifest.mpd'))).playlists).toHaveLength(2);
  }
  const method = /#EXT-X-KEY:METHOD=([A-Z-]+),URI="https:\/\/keys\.test\/film\?id=7"/;
  for (const name of ['v90/main.m3u8', 'v90/iframes.m3u8', 'a-2/main.m3u8']) {
    expect(method.exec(await readFile(join(folders.cbcs, name), 'utf8'))?.[1]).toBe('SAMPLE-AES');
  }
  expect(method.exec(await readFile(join(folders.cenc, 'v46.m3u8'), 'utf8'))?.[1]).toBe('SAMPLE-AES-CTR');
  expect((await readHls(join(folders.cbcs, 'v90/main.m3u8'))).segments).toHaveLength(
    (await segmentsOf(join(clear, 'v90'))).length,
  );
});

test('encrypts whole HLS segments by aes-128 with a fetched key, and keeps the ranges of key frames', async () => {
  await makeFilm();
  const keyUrl = serveKey('/key', key);
  const encryption = { scheme: 'aes-128' as const, keyUrl, keyUri };
  const clear = await packageAs('clear-hls', { package: ['hls'], ...film });
  const folder = await packageAs('aes', { package: ['hls'], ...film, encryption });
  for (const part of parts) {
    const playlist = await readFile(join(folder, part, 'main.m3u8'), 'utf8');
    const [, hex = ''] =
      /#EXT-X-MAP:URI="init.mp4"\n#EXT-X-KEY:METHOD=AES-128,URI="https:\/\/keys\.test\/film\?id=7",IV=0x([0-9a-f]{32})/.exec(
        playlist,
      ) ?? [];
    const iv = Buffer.from(hex, 'hex');
    for (const name of await segmentsOf(join(clear, part))) {
      const encrypted = await readFile(join(folder, part, name));
      const decipher = createDecipheriv('aes-128-cbc', key, iv);
      const bytes = Buffer.concat([decipher.update(encrypted), decipher.final()]);
      expect(bytes.equals(await readFile(join(clear, part, name))), `${part}/${name}`).toBe(true);
    }
  }
  // ffmpeg plays HLS with the key beside the playlist.
  const local = join(folder, 'v90/local.m3u8');
  await writeFile(file('film.key'), key);
  await writeFile(local, (await readFile(join(folder, 'v90/main.m3u8'), 'utf8')).replace(keyUri, file('film.key')));
  const open = ['-allowed_extensions', 'ALL', '-protocol_whitelist', 'file,crypto'];
  expect(await framesOf(local, open)).toEqual(await framesOfPart(clear, 'v90'));
  expect(await readFile(join(folder, 'v90/iframes.m3u8'), 'utf8')).toContain('#EXT-X-KEY:METHOD=AES-128');
});

matrixTest('encrypts a film of one picture, and sound alone', async () => {
  await make('one.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=0.04', ...quickH264);
  const common = { key: key.toString('hex'), keyId };
  const encryption = { ...common, scheme: 'cbcs' as const, keyUri: 'skd://film' };
  const output: DescribedOutput = { package: ['hls'], video: { speed: 'fast' } };
  const clear = await packageAs('one-clear', output, 'one.mp4');
  const one = await packageAs('one', { ...output, encryption }, 'one.mp4');
  expect(await framesOfSegments(one, 'v90', decryption)).toEqual(await framesOfSegments(clear, 'v90'));
  const fairPlay = 'URI="skd://film",KEYFORMATVERSIONS="1",KEYFORMAT="com.apple.streamingkeydelivery"';
  expect(await readFile(join(one, 'v90/main.m3u8'), 'utf8')).toContain(fairPlay);
  const sound: DescribedOutput = { package: ['dash'], video: false, audio: [{ bitrate: 96 }, { bitrate: 64 }] };
  const clearSound = await packageAs('sound-clear', sound, 'music.wav');
  const encrypted = await packageAs('sound', { ...sound, encryption: { ...common, scheme: 'cenc' } }, 'music.wav');
  for (const part of ['a', 'a-2']) {
    expect(await framesOfSegments(encrypted, part, decryption)).toEqual(await framesOfSegments(clearSound, part));
  }
});

test('rejects impossible encryption before it fetches the source, and never shows the key', async () => {
  const long = serveKey('/long-key', Buffer.concat([key, key]));
  const whole = serveKey('/whole-key', key);
  const short = serveKey('/short-key', key.subarray(1));
  const aes = { scheme: 'aes-128' as const, key: key.toString('hex'), keyUri };
  const cenc = { ...aes, scheme: 'cenc' as const, keyId };
  const { key: _, ...fetched } = aes;
  const cases: [DescribedOutput | Record<string, unknown>, number, RegExp][] = [
    [{ package: ['hls', 'dash'], encryption: aes }, 422, /aes-128 is only for HLS/],
    [{ package: ['hls'], layout: 'byte_ranges', encryption: aes }, 422, /aes-128 encrypts whole files/],
    [{ preset: 'hls-h264', encryption: aes }, 422, /aes-128 is only for HLS/],
    [{ preset: 'web-h264-720', encryption: aes }, 422, /encryption is only for packages/],
    [{ format: 'flac', encryption: aes }, 400, /is for packages/],
    [{ package: ['hls'], encryption: { ...cenc, keyUri: undefined } }, 422, /set keyUri in encryption/],
    [{ package: ['dash'], encryption: cenc }, 422, /keyUri is for HLS/],
    [{ package: ['hls'], encryption: { ...cenc, licenseUrl: 'https://a.test/' } }, 422, /licenseUrl is for DASH/],
    [{ package: ['hls'], encryption: { ...cenc, keyUri: 'skd://a' } }, 422, /FairPlay, which needs the scheme cbcs/],
    [{ package: ['hls'], encryption: { ...cenc, keyId: undefined } }, 400, /is required with cenc/],
    [{ package: ['hls'], encryption: { ...aes, keyId } }, 400, /is only for cbcs and cenc/],
    [{ package: ['hls'], encryption: { ...aes, key: `${aes.key}0` } }, 400, /must be 32 hex digits/],
    [
      { package: ['hls'], encryption: { ...aes, keyUri: `data:text/plain,${aes.key}` } },
      400,
      /must be a URL that starts with https/,
    ],
    [{ package: ['hls'], encryption: { ...aes, keyUri: 'https://a.test/"\n#EXT' } }, 400, /without spaces and quotes/],
    [{ package: ['hls'], encryption: { ...aes, keyUrl: 'https://a.test/k' } }, 400, /give either key or keyUrl/],
    [{ package: ['hls'], encryption: fetched }, 400, /give either key or keyUrl/],
    [{ package: ['hls'], encryption: { ...aes, headers: { accept: 'a' } } }, 400, /need a keyUrl/],
    [{ package: ['hls'], encryption: { ...cenc, keyId: aes.key } }, 400, /keyId, which everybody can read/],
    [
      {
        package: ['hls'],
        encryption: { ...fetched, keyUrl: whole, keyUri: `https://a.test/?k=${aes.key.toUpperCase()}` },
      },
      400,
      /keyUri, which everybody can read/,
    ],
    [{ package: ['hls'], encryption: { ...fetched, keyUrl: long } }, 413, /key of the encryption could not be fetched/],
    [{ package: ['hls'], encryption: { ...fetched, keyUrl: short } }, 400, /has 15 bytes, and a key has 16/],
    [
      { package: ['hls'], encryption: { ...fetched, keyUrl: `${service.media.url}/no-key` } },
      404,
      /The key of the encryption could not be fetched. The file [^ ]*\/no-key does not exist/,
    ],
  ];
  for (const [output, status, message] of cases) {
    const { sourceUrl, outputs } = {
      sourceUrl: `${service.media.url}/never-asked`,
      outputs: [{ deliver: 'on_demand', ...output }],
    };
    const answer = await service.container.call('POST', '/encode', { sourceUrl, outputs });
    const said = JSON.stringify(answer.body);
    expect(said).toMatch(message);
    expect(answer.status, said).toBe(status);
    expectNoKey(said);
  }
  expect(service.media.requests).not.toContain('GET /never-asked');
});
