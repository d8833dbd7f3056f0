// Uploads a film to a server, has each kind of output made of it, and watches the run in a browser.
//   node scripts/check-image/server.mjs <address> <token> <black film> <URL of its subtitles>
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { Upload } from 'tus-js-client';

const [address, token, film, subtitles] = process.argv.slice(2);
const authorization = `Bearer ${token}`;
/** Time for a run of seconds on a busy machine. */
const runTimeoutMs = 240_000;
/** Time for a browser on a busy machine to start a film. */
const playTimeoutMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-server-'));

async function call(method, path, body) {
  const response = await fetch(address + path, {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path} is ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function upload() {
  const url = await new Promise((resolve, reject) => {
    const sent = new Upload(createReadStream(film), {
      endpoint: `${address}/api/uploads`,
      uploadSize: statSync(film).size,
      headers: { authorization },
      metadata: { filename: 'black.mp4', filetype: 'video/mp4' },
      retryDelays: null,
      onSuccess: () => resolve(sent.url),
      onError: reject,
    });
    sent.start();
  });
  return `upload:${new URL(url, address).pathname.split('/').at(-1)}`;
}

async function resultOf({ id }) {
  const endsMs = Date.now() + runTimeoutMs;
  for (;;) {
    const run = await call('GET', `/api/runs/${encodeURIComponent(id)}`);
    if (run.state === 'succeeded') return run;
    const text = JSON.stringify(run);
    assert.ok(['queued', 'running', 'waiting'].includes(run.state), `${id} is ${run.state}: ${text}`);
    assert.ok(Date.now() < endsMs, `${id} did not end in time: ${text}`);
    await pause(250);
  }
}

/** Brightest value of the pictures of a film. */
async function brightnessOf(link) {
  const file = join(folder, 'film.mp4');
  const response = await fetch(new URL(link, address));
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  const read = ['-v', 'error', '-f', 'lavfi', '-i', `movie=${file},signalstats`, '-show_entries'];
  const values = execFileSync('ffprobe', [...read, 'frame_tags=lavfi.signalstats.YMAX', '-of', 'csv=p=0'], {
    encoding: 'utf8',
  });
  return Math.max(...values.trim().split(/\s+/).map(Number));
}

/** Signs in to the page, and plays the films of a run. */
async function watch(run) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.setDefaultTimeout(playTimeoutMs);
    await page.goto(address);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.locator(`a.to-run[data-id="${run.id}"]`).click();
    // The file and the package. The run's sound has a player outside `.film`.
    for (const index of [0, 1]) {
      const player = page.locator('.film').nth(index);
      await player.getByRole('button', { name: 'Play', exact: true }).click();
      const video = await player.locator('video').elementHandle();
      await page.waitForFunction(({ currentTime }) => currentTime > 0.3, video);
    }
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
}

try {
  const sourceUrl = await upload();
  const video = { codec: 'h264' };
  const encode = await call('POST', '/api/runs', {
    workflow: 'encode',
    input: {
      sourceUrl,
      outputs: [
        {
          container: 'mp4',
          video,
          subtitles: { burn: { url: subtitles } },
          quality: true,
          uploadUrl: 'result:film.mp4',
        },
        { format: 'mp3_64', uploadUrl: 'result:sound.mp3' },
        { image: 'poster', uploadUrl: 'result:poster.jpg' },
        { analysis: 'peaks', uploadUrl: 'result:peaks.json' },
        { image: 'thumbnails', count: 2, uploadUrlPrefix: 'result:thumbnails/' },
        { image: 'storyboard', uploadUrlPrefix: 'result:tiles/' },
        { package: ['hls', 'dash'], video, renditions: [{ height: 90 }], uploadUrlPrefix: 'result:stream/' },
      ],
    },
  });
  const processing = await call('POST', '/api/runs', {
    workflow: 'processing',
    input: { sourceUrl, uploadUrlPrefix: 'result:chunks/' },
  });
  const { result, files } = await resultOf(encode);
  const [encoded] = result.outputs;
  assert.ok(encoded.quality.vmaf.mean > 0, JSON.stringify(encoded));
  const names = files.map(({ name }) => name);
  for (const name of ['sound.mp3', 'film.mp4', 'poster.jpg', 'peaks.json', 'master.m3u8', 'manifest.mpd'])
    assert.ok(
      names.some((given) => given.endsWith(name)),
      `${name} is not among ${names.join(', ')}`,
    );
  const brightness = await brightnessOf(files.find(({ name }) => name === 'film.mp4').url);
  assert.ok(brightness > 150, `the brightest pixel of the burnt-in text has ${brightness}`);
  console.log(`        VMAF ${encoded.quality.vmaf.mean}, brightest pixel ${brightness}, ${names.length} files`);
  const chunks = (await resultOf(processing)).result.chunks;
  assert.equal(chunks.length, 1, JSON.stringify(chunks));
  await watch(encode);
} catch (error) {
  console.error(error.stack);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
