import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CommandSandbox } from '../cli/command-sandbox.ts';
import { makeMedia } from '../support/media-files.ts';
import { readDash, readHls } from '../container/operations/package/packages.ts';
import { clapFilm, motion, quickH264 } from '../support/films.ts';
import { launchBrowser } from '../support/browser.ts';
import { matrixTest, rowsExcept } from '../support/rows.ts';
import { TestStack } from '../support/stack.ts';
import { toolPath } from '../support/tools.ts';
import { type Played, type PlayedByShaka, type PlayedClaps, playerPage } from './player-page.ts';
import { LoopbackServer } from '../support/loopback-server.ts';
import { stopAfterAll, endAfterAll } from '../support/stop-after-all.ts';

// Package presets by the workflow and on the command line, played in a browser.

/** Codecs in the playlists of each preset: `contract/presets.ts` may not change without these. */
const golden: Record<string, RegExp> = {
  'hls-h264': /^avc1\.64.{4},mp4a\.40\.2$/,
  'hls-hevc': /^hvc1\..*,mp4a\.40\.2$/,
  'hls-av1': /^av01\..*,mp4a\.40\.2$/,
  'hls-audio': /^mp4a\.40\.2$/,
};
const presets = Object.keys(golden);

const chromiumPath = await toolPath('CHROMIUM_PATH');
const types: Record<string, string> = {
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.mpd': 'application/dash+xml',
  '.mp4': 'video/mp4',
  '.m4s': 'video/mp4',
};
const shakaPath = createRequire(import.meta.url).resolve('shaka-player');

const mediaFile = (name: string): string => join(stack.container.mediaRoot, name);

async function serve({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = mediaFile(`packages${url}`);
  if (url === '/') response.setHeader('content-type', 'text/html').end(playerPage);
  else if (url === '/shaka.js') response.setHeader('content-type', 'text/javascript').end(await readFile(shakaPath));
  else if (!existsSync(path)) response.writeHead(404).end();
  else response.setHeader('content-type', types[extname(path)] ?? '').end(await readFile(path));
}

const stack = await stopAfterAll(TestStack.start());
const sandbox = await stopAfterAll(CommandSandbox.create());
const server = await stopAfterAll(LoopbackServer.start((request, response) => void serve(request, response)));

// Each second has a white picture and a sound that starts with it.
const flash = ['-vf', "drawbox=c=white:t=fill:enable='eq(mod(n,25),12)'"];
const film = [...motion(6, '25', '640x360'), ...clapFilm(6).slice(4), ...flash, ...quickH264, '-c:a', 'aac'];
await makeMedia(stack.container.mediaRoot, 'film.mov', ...film);
await mkdir(mediaFile('packages'));
await makeMedia(stack.container.mediaRoot, 'packages/plain.mp4', '-i', mediaFile('film.mov'), '-c', 'copy');
await copyFile(mediaFile('film.mov'), join(sandbox.folder, 'film.mov'));
const browser = await launchBrowser(chromiumPath);
endAfterAll(async () => browser.close());

test('a run stores each package under its prefix and lists every file', async () => {
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

test('the command line writes a package into a folder named after its source and never overwrites one', async () => {
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

async function play<Result>(call: string): Promise<Result> {
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url}/`);
    return await page.evaluate<Result>(call);
  } finally {
    await page.close();
  }
}

test.each(rowsExcept(['hls-audio'], ['hls-h264', 'hls-audio']))(
  'a browser starts, seeks and finishes the HLS of %s',
  async (preset) => {
    const played = await play<Played>(`playThrough('/${preset}/master.m3u8')`);
    expect(played.duration).toBeCloseTo(6, 0);
    expect(played.afterSeek).toBeCloseTo(3, 1);
    expect(played.currentTime).toBeCloseTo(played.duration, 1);
    if (preset === 'hls-h264') expect([640, 416]).toContain(played.videoWidth);
  },
);

test.each(rowsExcept(['master.m3u8'], ['manifest.mpd', 'master.m3u8']))(
  'Shaka Player starts %s, switches the rendition, seeks and finishes without an error',
  async (index) => {
    const played = await play<PlayedByShaka>(`playByShaka('/hls-h264/${index}')`);
    expect(played).toMatchObject({ heights: [234, 360], errors: [], videoWidth: 640 });
    expect(played.duration).toBeCloseTo(6, 1);
    expect(played.afterSeek).toBeCloseTo(3, 1);
    expect(played.currentTime).toBeCloseTo(played.duration, 1);
  },
);

const frameSeconds = 1 / 25;
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;

matrixTest('pictures and sound of a package are in sync to within one picture', async () => {
  // Delay of the sound after its picture: the machine's own delay plus any error.
  const delayOf = ({ clicks }: PlayedClaps): number => median(clicks.map((time, index) => time - index - 0.48));
  // A loaded machine shows some pictures of either film late; a sync error appears in every try.
  await expect
    .poll(
      async () => {
        const plain = delayOf(await play<PlayedClaps>(`clapsOf('/plain.mp4')`));
        const played = await play<PlayedClaps>(`clapsOf('/hls-h264/manifest.mpd')`);
        expect(played.clicks).toHaveLength(6);
        expect(played.flashes.length).toBeGreaterThan(2);
        // Each picture must be shown at its own time.
        for (const time of played.flashes) expect(time - 0.48).toBeCloseTo(Math.round(time - 0.48), 2);
        return Math.abs(delayOf(played) - plain);
      },
      { timeout: 60_000, interval: 0 },
    )
    .toBeLessThan(frameSeconds);
});
