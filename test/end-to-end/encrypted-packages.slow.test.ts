import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../contract/http/output.ts';
import { useEncodes } from '../support/encodes.ts';
import { makePackageOf } from '../container/operations/package/packages.ts';
import { motion, quickH264, tone } from '../support/films.ts';
import { launchBrowser } from '../support/browser.ts';
import { matrixTest, rowsExcept } from '../support/rows.ts';
import { toolPath } from '../support/tools.ts';
import { LoopbackServer } from '../support/loopback-server.ts';
import { stopAfterAll, endAfterAll } from '../support/stop-after-all.ts';

// Plays encrypted packages, subtitles, thumbnails and Opus in a browser.

const service = await useEncodes();
const chromiumPath = await toolPath('CHROMIUM_PATH');
const shakaPath = createRequire(import.meta.url).resolve('shaka-player');

const key = Buffer.from('0123456789abcdef00112233deadbeef', 'hex');
const keyId = Buffer.from('8a5e2b7c1d3f4a609b11c2d3e4f50617', 'hex');
const asked: string[] = [];

const types: Record<string, string> = {
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.mpd': 'application/dash+xml',
  '.vtt': 'text/vtt',
  '.mp4': 'video/mp4',
  '.m4s': 'video/mp4',
  '.jpg': 'image/jpeg',
};

const page = `<video muted></video><script src="/shaka.js"></script><script>
  const video = document.querySelector('video');
  async function play(url) {
    const player = new shaka.Player();
    await player.attach(video);
    const errors = [];
    player.addEventListener('error', ({ detail }) => errors.push(String(detail.code)));
    await player.load(url);
    const [text] = player.getTextTracks();
    if (text !== undefined) player.selectTextTrack(text);
    const ended = new Promise((resolve) => video.addEventListener('ended', resolve, { once: true }));
    video.currentTime = 5;
    await video.play();
    await ended;
    const images = [];
    for (const { id } of player.getImageTracks()) {
      const { uris, positionX, positionY, width, height, startTime } = await player.getThumbnails(id, 3.5);
      images.push({ sheet: uris[0].split('/').at(-1), positionX, positionY, width, height, startTime });
    }
    const cues = [...video.textTracks].flatMap(({ cues }) => [...(cues ?? [])]);
    const texts = cues.map(({ startTime, endTime, text }) => [startTime, endTime, text]);
    const drm = player.drmInfo()?.keySystem ?? '';
    return { errors, drm, images, texts, language: text?.language, time: video.currentTime, frames: video.getVideoPlaybackQuality().totalVideoFrames };
  }
</script>`;

interface Played {
  errors: string[];
  drm: string;
  images: object[];
  texts: unknown[];
  language: string | undefined;
  time: number;
  frames: number;
}

const server = await stopAfterAll(LoopbackServer.start((request, response) => void serve(request, response)));
const urlOf = (path: string): string => `${server.url}${path}`;

/** https://www.w3.org/TR/encrypted-media/, 9.1.4 */
const license = {
  keys: [{ kty: 'oct', kid: keyId.toString('base64url'), k: key.toString('base64url') }],
  type: 'temporary',
};

async function serve({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
  asked.push(url);
  const path = service.file(`out${url}`);
  if (url === '/') response.setHeader('content-type', 'text/html').end(page);
  else if (url === '/shaka.js') response.setHeader('content-type', 'text/javascript').end(await readFile(shakaPath));
  else if (url === '/key') response.end(key);
  else if (url === '/licence') response.setHeader('content-type', 'application/json').end(JSON.stringify(license));
  else if (!existsSync(path)) response.writeHead(404).end();
  else response.setHeader('content-type', types[extname(path)] ?? '').end(await readFile(path));
}

const browser = await launchBrowser(chromiumPath);
endAfterAll(async () => browser.close());
await writeFile(service.file('texts.srt'), '1\n00:00:05,125 --> 00:00:05,875\nGröße\n');
await service.make('film.mp4', ...motion(6, '25', '320x180'), ...tone(6), ...quickH264, '-c:a', 'aac');

async function evaluate<Result>(script: string): Promise<Result> {
  const tab = await browser.newPage();
  await tab.goto(urlOf('/'));
  const result = await tab.evaluate<Result>(script);
  await tab.close();
  return result;
}

const film: DescribedOutput = { segmentSeconds: 2, video: { speed: 'fast' }, renditions: [{ height: 180 }] };

test.each(rowsExcept(['cenc'], ['cbcs', 'cenc'] as const))(
  'a browser decrypts %s in HLS and DASH and finds thumbnails and subtitles',
  async (scheme) => {
    const encryption = {
      scheme,
      key: key.toString('hex'),
      keyId: keyId.toString('hex'),
      keyUri: urlOf('/key'),
      licenseUrl: urlOf('/licence'),
    };
    const subtitles = { add: [{ url: service.container.fileUrl('texts.srt'), language: 'deu' }] };
    await makePackageOf(
      service,
      'film.mp4',
      { package: ['hls', 'dash'], ...film, thumbnails: true, subtitles, encryption },
      scheme,
    );
    for (const [index, source] of [
      ['manifest.mpd', '/licence'],
      ['master.m3u8', '/key'],
    ] as const) {
      asked.length = 0;
      const played = await evaluate<Played>(`play('/${scheme}/${index}')`);
      expect(played, index).toMatchObject({ errors: [], drm: 'org.w3.clearkey', time: expect.closeTo(6, 0) });
      expect(played.frames).toBeGreaterThan(10);
      expect(asked).toContain(source);
      const tile = { positionX: 480, positionY: 0, width: 160, height: 90, startTime: 3 };
      expect(played).toMatchObject({ language: 'de', texts: [[5.125, 5.875, 'Größe']] });
      expect(played.images).toEqual([{ sheet: '1.jpg', ...tile }]);
    }
  },
);

test('a browser decrypts aes-128 in HLS with the key from the playlist', async () => {
  const encryption = { scheme: 'aes-128' as const, key: key.toString('hex'), keyUri: urlOf('/key') };
  await makePackageOf(service, 'film.mp4', { package: ['hls'], ...film, encryption }, 'aes');
  asked.length = 0;
  const played = await evaluate<Played>(`play('/aes/master.m3u8')`);
  expect(played).toMatchObject({ errors: [], time: expect.closeTo(6, 0) });
  expect(asked).toContain('/key');
});

matrixTest('a browser plays Opus in HLS and DASH', async () => {
  const audio = [
    { codec: 'opus', bitrate: 64 },
    { codec: 'opus', bitrate: 32 },
  ];
  await makePackageOf(service, 'film.mp4', { preset: 'hls-audio', audio, segmentSeconds: 2 }, 'opus');
  for (const index of ['manifest.mpd', 'master.m3u8']) {
    expect(await evaluate(`play('/opus/${index}')`), index).toMatchObject({ errors: [], time: expect.closeTo(6, 0) });
  }
});
