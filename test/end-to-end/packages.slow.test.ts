import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommandSandbox } from '../cli/command-sandbox.ts';
import { makeMedia } from '../container/operations/media-files.ts';
import { readDash, readHls } from '../container/operations/package-support.ts';
import { motion, quickH264, tone } from '../container/operations/pictures-support.ts';
import { TestStack } from '../support/stack.ts';
import { toolPath } from '../support/tools.ts';

// The presets of packages by the workflow and on the command line, and what a browser makes of them.

/** What each is offered in, by its playlists' codecs: `contract/presets.ts` may not change without these. */
const golden: Record<string, RegExp> = {
  'hls-h264': /^avc1\.64.{4},mp4a\.40\.2$/,
  'hls-hevc': /^hvc1\..*,mp4a\.40\.2$/,
  'hls-av1': /^av01\..*,mp4a\.40\.2$/,
  'hls-audio': /^mp4a\.40\.2$/,
};
const presets = Object.keys(golden);

const chromiumPath = await toolPath('CHROMIUM_PATH');
const types: Record<string, string> = {
  ...{ '.m3u8': 'application/vnd.apple.mpegurl', '.mpd': 'application/dash+xml' },
  ...{ '.mp4': 'video/mp4', '.m4s': 'video/mp4', '.html': 'text/html' },
};

/** Starts a package, seeks to its middle, and to the last second, and waits for its end. */
const player = `<video muted></video><script>
  async function playThrough(url) {
    const video = document.querySelector('video');
    const until = (event) =>
      new Promise((resolve, reject) => {
        video.addEventListener(event, resolve, { once: true });
        video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
      });
    const doUntil = async (event, action) => {
      const happened = until(event);
      await action();
      await happened;
    };
    await doUntil('loadedmetadata', () => (video.src = url));
    await doUntil('timeupdate', () => video.play());
    await doUntil('seeked', () => (video.currentTime = 3));
    const afterSeek = video.currentTime;
    await doUntil('ended', () => (video.currentTime = 5));
    const { duration, currentTime, videoWidth } = video;
    return { duration, afterSeek, currentTime, videoWidth };
  }
</script>`;

interface Played {
  duration: number;
  afterSeek: number;
  currentTime: number;
  videoWidth: number;
}

let stack: TestStack;
let sandbox: CommandSandbox;
let server: Server;
let browser: Browser;

const mediaFile = (name: string): string => join(stack.container.mediaRoot, name);

async function serve({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = mediaFile(`packages${url}`);
  if (url === '/') response.setHeader('content-type', 'text/html').end(player);
  else if (!existsSync(path)) response.writeHead(404).end();
  else response.setHeader('content-type', types[extname(path)] ?? '').end(await readFile(path));
}

beforeAll(async () => {
  stack = await TestStack.start();
  sandbox = await CommandSandbox.create();
  const film = [...motion(6, '25', '640x360'), ...tone(6), ...quickH264, '-c:a', 'aac'];
  await makeMedia(stack.container.mediaRoot, 'film.mov', ...film);
  await copyFile(mediaFile('film.mov'), join(sandbox.folder, 'film.mov'));
  server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
  });
}, 120_000);

afterAll(async () => {
  await browser.close();
  server.close();
  await sandbox.remove();
  await stack.stop();
});

test('a run makes each preset of packages below its prefix, and tells of every file', async () => {
  const outputs = presets.map((preset) => ({
    preset,
    uploadUrlPrefix: stack.container.fileUrl(`packages/${preset}/`),
  }));
  const run = await stack.run('encode', { sourceUrl: stack.container.fileUrl('film.mov'), outputs });
  const outcome = (await run.result()) as { outputs: { preset: string; files: { name: string }[] }[] };
  expect(outcome.outputs.map(({ preset }) => preset)).toEqual(presets);
  for (const { preset, files } of outcome.outputs) {
    const folder = mediaFile(`packages/${preset}`);
    const stored = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = stored.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    expect(names.toSorted()).toEqual(files.map(({ name }) => join(folder, name)).toSorted());
    const { variants } = await readHls(join(folder, 'master.m3u8'));
    for (const { codecs } of variants.filter(({ isIFrameOnly }) => !isIFrameOnly)) {
      expect(codecs).toMatch(golden[preset] ?? /none/);
    }
    const manifest = await readDash(join(folder, 'manifest.mpd'));
    expect(manifest.playlists.length + Object.keys(manifest.mediaGroups.AUDIO).length).toBeGreaterThan(0);
  }
});

test('the command line writes a package into a folder of the name of its source, and not over another', async () => {
  const options = ['--preset', 'hls-h264', '--out', 'out'];
  const first = sandbox.npm('encode', '--', 'film.mov', ...options);
  expect((await first.exited).code, first.output).toBe(0);
  expect(first.output).toContain('out/film_hls-h264\n');
  const entries = await readdir(join(sandbox.folder, 'out/film_hls-h264'));
  expect(entries).toEqual(expect.arrayContaining(['a', 'manifest.mpd', 'master.m3u8', 'v360']));
  const again = sandbox.npm('encode', '--', 'film.mov', ...options);
  expect((await again.exited).code).not.toBe(0);
  expect(again.output).toContain('film_hls-h264 already exists');
});

test.each(['hls-h264', 'hls-audio'])(
  'a browser plays the HLS of %s: it starts, seeks to the middle and ends',
  async (preset) => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const played = await page.evaluate<Played>(`playThrough('/${preset}/master.m3u8')`);
    expect(played.duration).toBeCloseTo(6, 0);
    expect(played.afterSeek).toBeCloseTo(3, 1);
    expect(played.currentTime).toBeCloseTo(played.duration, 1);
    if (preset === 'hls-h264') expect([640, 416]).toContain(played.videoWidth);
    await page.close();
  },
);
