import { openAsBlob } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { transcription, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { useFolder } from '../support/folder.ts';
import { longWav } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { run } from '../support/process.ts';
import { matrixTest } from '../support/rows.ts';
import { startFiles } from './chooser.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const open = useVisitors();

const colors = ['red', 'lime', 'blue', 'yellow'];
const secondsOfEach = 2;

const said = [
  { start: 0, end: 2, text: 'The harbour lies still.' },
  { start: 2, end: 5, text: 'A boat <b>comes</b> in.' },
  { start: 5, end: 9, text: 'And then nothing.' },
];

let visitor: Visitor;
let page: Page;

const folder = useFolder();
const film = join(folder, 'film.mp4');
const parts = colors.map((color) => `color=${color}:s=320x180:r=25:d=${secondsOfEach}`);
const inputs = parts.flatMap((part) => ['-f', 'lavfi', '-i', part]);
const sound = ['-f', 'lavfi', '-i', `sine=440:d=${colors.length * secondsOfEach}`];
const joined = `${colors.map((_color, index) => `[${index}:v]`).join('')}concat=n=${colors.length}[v]`;
const encoders = ['-map', '[v]', '-map', `${colors.length}:a`, '-c:v', 'libx264', '-g', '25', '-c:a', 'aac'];
const made = await run('ffmpeg', ['-v', 'error', ...inputs, ...sound, '-filter_complex', joined, ...encoders, film]);
expect(made.code, made.output).toBe(0);
const provider = await stopAfterAll(
  TranscriptionServer.start(() => ({
    kind: 'answer',
    body: {
      ...(transcription(said) as object),
      words: said.flatMap(({ start, text }) =>
        text.split(' ').map((each, index) => ({ word: each, start: start + index / 2, end: start + index / 2 + 0.5 })),
      ),
    },
  })),
);
const providers = join(folder, 'providers.json');
const limits = { maxConcurrent: 2, requestsPerMinute: 50, requestsPerHour: 1000, burstLimit: 10 };
await writeFile(
  providers,
  JSON.stringify({ 'own/words': { kind: 'openai-transcription', url: provider.url, limits } }),
);
const media = await stopAfterAll(MediaServer.start());
const system = await stopAfterAll(
  PageStack.start({}, { workerEnvironment: { PROVIDERS_FILE: providers }, sharesMedia: true }),
);

async function visit(path = '/'): Promise<void> {
  visitor = await open(system.server.url + path);
  page = visitor.page;
}

/** Uploads the film through the page and opens the run's page. */
async function send(name: string, preset: string): Promise<void> {
  await visit();
  await startFiles(page, { name, mimeType: 'video/mp4', buffer: await readFile(film) }, preset);
  await page.getByRole('link', { name }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
}

interface Playing {
  at: number;
  length: number;
  paused: boolean;
  source: string;
}

async function playing(): Promise<Playing> {
  return await page.evaluate(`(() => {
    const { currentTime, duration, paused, src } = document.querySelector('video');
    return { at: currentTime, length: duration, paused, source: src };
  })()`);
}

/** Colour of the pixel that the script draws. */
async function colorOf(script: string): Promise<string | undefined> {
  const [red = 0, green = 0, blue = 0] = await page.evaluate<number[]>(`(async () => {
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext('2d');
    await (${script})(context);
    return Array.from(context.getImageData(0, 0, 1, 1).data);
  })()`);
  const known = { red: [255, 0, 0], lime: [0, 255, 0], blue: [0, 0, 255], yellow: [255, 255, 0] };
  const isNear = (color: readonly number[]): boolean =>
    [red, green, blue].every((value, index) => Math.abs(value - (color[index] ?? 0)) < 60);
  return Object.entries(known).find(([, color]) => isNear(color))?.[0];
}

const tileColor = async (): Promise<string | undefined> =>
  await colorOf(`async (context) => {
    const { backgroundImage, backgroundPosition, width, height } = document.querySelector('.film-tile').style;
    const sheet = await createImageBitmap(await (await fetch(backgroundImage.slice(5, -2))).blob());
    const [x, y] = backgroundPosition.split(' ').map((part) => -parseFloat(part));
    context.drawImage(sheet, x + parseFloat(width) / 2, y + parseFloat(height) / 2, 1, 1, 0, 0, 1, 1);
  }`);

const filmColor = async (): Promise<string | undefined> =>
  await colorOf(`(context) => context.drawImage(document.querySelector('video'), 0, 0, 1, 1)`);

const patience = { timeout: 100_000 };
/** Time for an encode and for real-time playback. */
const long = { timeout: 300_000 };

test('a film plays, and its timeline previews frames under the pointer', long, async () => {
  await send('Four colours.mp4', 'Web video, small');
  expect(await visitor.findings()).toEqual([]);
  expect(await page.locator('video').getAttribute('poster')).toMatch(/Four%20colours\.poster\.jpg/);
  await expect.poll(async () => (await playing()).length, patience).toBeCloseTo(8, 0);
  const strip = page.getByRole('slider', { name: 'Position' });
  await strip.scrollIntoViewIfNeeded();
  const box = await strip.boundingBox();
  if (box === null) throw new Error('the timeline is not shown');
  for (const [index, color] of colors.entries()) {
    await page.mouse.move(box.x + (box.width * (index + 0.75)) / colors.length, box.y + box.height / 2);
    await page.locator('.film-tile').waitFor();
    expect(await tileColor()).toBe(color);
  }
  // A click seeks to the pointer, keys move on from there.
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(filmColor, patience).toBe('yellow');
  await strip.press('Home');
  expect((await playing()).at).toBe(0);
  await strip.press('ArrowRight');
  await expect.poll(filmColor, patience).toBe('blue');
  await strip.press('Home');
  await page.getByRole('button', { name: 'Play', exact: true }).press('Enter');
  await expect.poll(async () => (await playing()).at, patience).toBeGreaterThan(0.3);
  await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter');
  expect((await playing()).paused).toBe(true);
});

/** Positions and colours of the film and its source. */
async function sides(): Promise<{ places: number[]; colors: (string | undefined)[] }> {
  const places = await page.evaluate<number[]>(
    `Array.from(document.querySelectorAll('video'), ({ currentTime }) => currentTime)`,
  );
  const shown = (index: number): string =>
    `(context) => context.drawImage(document.querySelectorAll('video')[${index}], 0, 0, 1, 1)`;
  return { places, colors: [await colorOf(shown(0)), await colorOf(shown(1))] };
}

/** Counts consecutive page frames in which both play within the gap, up to `frames`. */
const framesTogether = (frames: number, gapSeconds: number, aheadSeconds: number): string => `new Promise((resolve) => {
  const [film, source] = document.querySelectorAll('video');
  let together = 0;
  requestAnimationFrame(function look() {
    const isNear = Math.abs(source.currentTime - film.currentTime - ${aheadSeconds}) < ${gapSeconds};
    const moves = !film.paused && !source.paused && film.currentTime > 0.2;
    if (moves) together = isNear ? together + 1 : 0;
    if (together === ${frames} || film.ended) resolve(together);
    else requestAnimationFrame(look);
  });
})`;

test('a film is compared with its source in step, even if it starts later in the source', long, async () => {
  const holdfast = new HoldfastClient({ url: system.server.url });
  const sourceUrl = await holdfast.upload(await openAsBlob(film), { name: 'Later.mp4' });
  const outputs = [{ preset: 'web-h264-480', trim: { start: 2 }, uploadUrl: 'result:later.mp4' }];
  const { id } = await holdfast.start({ workflow: 'encode', input: { sourceUrl, outputs } });
  await visit(`/runs/${id}`);
  await page.getByRole('button', { name: 'Compare with source' }).click();
  const strip = page.getByRole('slider', { name: 'Position' });
  await expect.poll(async () => (await playing()).length, patience).toBeCloseTo(6, 0);
  const box = await strip.boundingBox();
  if (box === null) throw new Error('the timeline is not shown');
  for (const [index, color] of ['blue', 'lime', 'yellow'].entries()) {
    const seconds = [3, 1, 5][index] ?? 0;
    // The facts of the run may still move the strip.
    await strip.click({ position: { x: (box.width * seconds) / 6, y: box.height / 2 } });
    await expect.poll(async () => (await sides()).colors, patience).toEqual([color, color]);
    const { places } = await sides();
    expect(places[0]).toBeCloseTo(seconds, 0);
    expect(places[1]).toBeCloseTo((places[0] ?? 0) + 2, 2);
  }
  await strip.press('Home');
  await page.getByRole('button', { name: 'Play', exact: true }).press('Enter');
  expect(await page.evaluate(framesTogether(30, 0.15, 2))).toBe(30);
  await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter');

  const wipe = page.getByRole('slider', { name: 'Divider between source and result' });
  const state = async (): Promise<unknown> =>
    await page.evaluate(`(() => {
      const [film, source] = document.querySelectorAll('video');
      return { shown: getComputedStyle(source).clipPath, muted: [film.muted, source.muted] };
    })()`);
  await wipe.press('End');
  await expect.poll(state, patience).toEqual({ shown: 'inset(0px 0% 0px 0px)', muted: [true, false] });
  await wipe.press('Home');
  await expect.poll(state, patience).toEqual({ shown: 'inset(0px 100% 0px 0px)', muted: [false, true] });
  await page.getByRole('button', { name: 'Mute' }).click();
  await expect.poll(state, patience).toMatchObject({ muted: [true, true] });
  expect(await visitor.findings()).toEqual([]);
  await page.getByRole('button', { name: 'Compare with source' }).click();
  await expect.poll(() => page.locator('video').count(), patience).toBe(1);
  expect((await playing()).source).toMatch(/later\.mp4/);
});

test('a streaming package plays in browsers with and without HLS support', long, async () => {
  await send('In a package.mp4', 'Video streaming');
  const plays = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(async () => (await playing()).at, patience).toBeGreaterThan(0.3);
    expect((await playing()).length).toBeCloseTo(8, 0);
  };
  await plays();
  expect((await playing()).source).toMatch(/\/master\.m3u8$/);
  await page.addInitScript(`HTMLMediaElement.prototype.canPlayType = () => ''`);
  await page.reload();
  await plays();
  expect((await playing()).source).toMatch(/^blob:/);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('slider', { name: 'Position' }).press('Home');
  await page.getByRole('slider', { name: 'Position' }).press('ArrowRight');
  await expect.poll(filmColor, patience).toBe('blue');
});

test('a package is taken away: as a zip, as an address, and as code that plays on another site', long, async () => {
  const holdfast = new HoldfastClient({ url: system.server.url });
  const sourceUrl = await holdfast.upload(await openAsBlob(await longWav({ seconds: 10 })), { name: 'Tea.wav' });
  const output = {
    package: ['hls', 'dash'] as ('hls' | 'dash')[],
    video: false as const,
    uploadUrlPrefix: 'result:tea/',
  };
  const { id } = await holdfast.start({ workflow: 'encode', input: { sourceUrl, outputs: [output] } });
  await holdfast.untilEnded(id);
  await visit(`/runs/${id}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as zip: tea.zip' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('tea.zip');
  const zip = await readFile(await download.path());
  expect(zip.includes('master.m3u8')).toBe(true);

  await page.getByText('Use in another player').click();
  const address = page.getByLabel('HLS address (master.m3u8)', { exact: true });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy: HLS address (master.m3u8)' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(await address.inputValue());
  expect(await (await fetch(copied)).text()).toMatch(/^#EXTM3U/);
  // Long lines of code do not widen the page of a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await visitor.findings()).toEqual([]);

  for (const [player, file] of [
    ['hls.js', 'hls.js/dist/hls.min.js'],
    ['Shaka Player', 'shaka-player/dist/shaka-player.compiled.js'],
  ] as const) {
    await page.getByLabel(player, { exact: true }).check({ force: true });
    const code = (await page.locator('.package pre').textContent()) ?? '';
    const blog = await visitor.page.context().newPage();
    await blog.route('https://cdn.jsdelivr.net/**', (route) => route.fulfill({ path: `node_modules/${file}` }));
    media.on('GET /blog.html', (_request, response) => void response.setHeader('content-type', 'text/html').end(code));
    await blog.goto(`${media.url}/blog.html`);
    await blog.evaluate(`document.querySelector('video').muted = true`);
    const plays = async (): Promise<unknown> => {
      await blog.evaluate(`document.querySelector('video').play().catch(() => undefined)`);
      return await blog.evaluate(`document.querySelector('video').currentTime`);
    };
    await expect.poll(plays, patience).toBeGreaterThan(0.3);
    await blog.close();
  }
});

let harbourId: Promise<string> | undefined;

/** Id of an ended run with a transcript. */
async function harbour(): Promise<string> {
  harbourId ??= (async () => {
    const holdfast = new HoldfastClient({ url: system.server.url });
    const sourceUrl = await holdfast.upload(await openAsBlob(await longWav({ seconds: 10 })), { name: 'Harbour.wav' });
    const { id } = await holdfast.start({
      workflow: 'processing',
      input: { sourceUrl, uploadUrlPrefix: 'result:harbour/', provider: 'own/words', captions: { lineLength: 30 } },
    });
    await holdfast.untilEnded(id);
    return id;
  })();
  return await harbourId;
}

const soundAt = async (): Promise<number> => await page.evaluate(`document.querySelectorAll('audio')[1].currentTime`);
const lineWith = (text: string) => page.locator('.transcript li', { hasText: text });
const word = (text: string) => page.locator('.transcript').getByText(text, { exact: true });
const focused = async (): Promise<string> => await page.evaluate('document.activeElement.textContent');

test('a transcript follows playback, and a click or Enter on a word plays from it', long, async () => {
  await visit(`/runs/${await harbour()}`);
  await word('boat').waitFor();
  // A click before the audio is loaded is not lost.
  const sound = Promise.withResolvers<void>();
  await page.route('**/encoded.ogg*', async (route) => {
    await sound.promise;
    await route.continue();
  });
  await page.reload();
  await word('boat').click();
  expect(await soundAt()).toBeCloseTo(2.5, 1);
  sound.resolve();
  await expect.poll(() => page.evaluate(`document.querySelectorAll('audio')[1].seekable.length`)).toBe(1);
  expect(await soundAt()).toBeCloseTo(2.5, 1);
  const current = async (): Promise<string | null> =>
    await page.locator('.transcript [aria-current=true]').textContent();
  await expect.poll(current).toBe('boat');
  await page.keyboard.press('ArrowUp');
  expect(await focused()).toBe('The');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  expect(await soundAt()).toBeCloseTo(0.5, 1);
  await expect.poll(current).toBe('harbour');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(current, patience).toBe('nothing.');
  expect(await soundAt()).toBeGreaterThanOrEqual(5.9);
  expect(await visitor.findings()).toEqual([]);
});

test(
  'a transcript is searched, corrected and saved by keyboard, and a reload shows the saved version',
  long,
  async () => {
    const id = await harbour();
    await visit(`/runs/${id}`);
    await page.getByLabel('Search the transcript').fill('IN. and');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    const shown = async (): Promise<string[]> => await page.locator('[data-shown]').allTextContents();
    await expect.poll(shown).toEqual(['in.', 'And']);
    await page.getByLabel('Search the transcript').fill('th');
    await page.getByText('1 of 3', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 of 3', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Enter');
    await expect.poll(shown).toEqual(['nothing.']);
    expect(await page.locator('[data-hit]').allTextContents()).toEqual(['The', 'then', 'nothing.']);
    expect(await visitor.findings()).toEqual([]);

    // The hit is the next stop of the keyboard behind the two buttons of the search.
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('Tab');
    expect(await focused()).toBe('nothing.');
    await page.keyboard.press('e');
    await page.keyboard.type(' Or so.');
    expect(await visitor.findings()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('And');
    expect(await lineWith('nothing.').locator('.said').textContent()).toBe('And then nothing.');
    await page.keyboard.press('e');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('And then\n--> <i>no</i> sound 🙂');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('And');
    await page.getByText('as transcribed, 1 unsaved change').waitFor();
    // The third of three matches is gone.
    await page.getByText('2 of 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save new version' }).press('Enter');
    await page.getByText('Saved as version 1.').waitFor();
    await page.reload();
    await page.getByText('version 1', { exact: true }).waitFor();
    const said = page.locator('.said');
    expect(await said.allTextContents()).toEqual([
      'The harbour lies still.',
      'A boat <b>comes</b> in.',
      'And then --> <i>no</i> sound 🙂',
    ]);
    await word('sound').click();
    expect(await soundAt()).toBeCloseTo(6 + (0.5 * 14) / 22, 2);
    expect(await page.locator('.transcript i').count()).toBe(0);

    const { files } = await new HoldfastClient({ url: system.server.url }).get(id);
    const textOf = async (name: string): Promise<string> => {
      const file = files.find((each) => each.name === name);
      return await (await fetch(new URL(file?.url ?? '', system.server.url))).text();
    };
    expect(await textOf('transcript.json')).toContain('And then nothing.');
    expect(JSON.parse(await textOf('transcript.1.json'))).toMatchObject({
      text: expect.stringContaining('<i>no</i>'),
      segments: [{ words: [{ text: 'The', start: 0, end: 0.5 }, {}, {}, {}] }, {}, {}],
    });
  },
);

test('speakers get names in all lines, and of two tabs that save, the second is refused', long, async () => {
  const id = await harbour();
  const holdfast = new HoldfastClient({ url: system.server.url });
  const segment = (index: number, speaker: string) => ({
    ...{ id: index, start: index * 3, end: index * 3 + 2, text: `Line ${index}.`, chunk: 0, speaker },
  });
  const segments = [segment(0, 'S1'), segment(1, 'S2'), segment(2, 'S1')];
  const { files } = await holdfast.get(id);
  const known = files.find(({ kind }) => kind === 'correction')?.version ?? 0;
  await holdfast.saveTranscript(id, { segments, duration: 10, complete: true, missing: [] }, known);
  await visit(`/runs/${id}`);
  const other = await open(`${system.server.url}/runs/${id}`);
  await other.page.getByText(`version ${known + 1}`, { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Correct the line at 0:00' }).click();
  await page.getByLabel('Speaker, in all lines').fill('Anna <b>');
  expect(await visitor.findings()).toEqual([]);
  // A form that is open meanwhile does not give the speaker the old name again.
  await page.getByRole('button', { name: 'Correct the line at 0:06' }).click();
  await page.getByLabel('Text at 0:06').fill('Line two.');
  await page.getByRole('button', { name: 'Keep' }).first().click();
  // The second click of a double click is no change to an outdated version.
  await page.getByRole('button', { name: 'Save new version' }).dblclick();
  await page.getByText(`version ${known + 2}`, { exact: true }).waitFor();
  expect(await page.getByRole('alert').allTextContents()).not.toContainEqual(expect.stringContaining('has version'));
  expect(await page.locator('.said').allTextContents()).toEqual([
    'Anna <b>: Line 0.',
    'S2: Line 1.',
    'Anna <b>: Line two.',
  ]);

  await other.page.getByRole('button', { name: 'Correct the line at 0:03' }).click();
  await other.page.getByLabel('Text at 0:03').fill('Line one.');
  // To save keeps what is typed.
  await other.page.getByRole('button', { name: 'Save new version' }).click();
  await other.page.getByText(`The transcript has version ${known + 2}, and your changes are to version`).waitFor();
  expect(await other.page.locator('.said').allTextContents()).toContain('S2: Line one.');
  expect(await other.findings()).toEqual([]);
  await other.page.getByRole('button', { name: 'Correct the line at 0:00' }).click();
  await other.page.getByRole('button', { name: 'Load the latest version' }).click();
  await other.page.getByText(`version ${known + 2}`, { exact: true }).waitFor();
  expect(await other.page.locator('.correction').count()).toBe(0);
  expect(await other.page.locator('.said').allTextContents()).toContain('Anna <b>: Line two.');
  expect(await other.page.locator('.said').allTextContents()).toContain('S2: Line 1.');

  // A share link shows the correction, and corrects nothing.
  await page.goto(system.server.url + (await holdfast.share(id)).url);
  await page.locator('.said', { hasText: 'Anna <b>: Line two.' }).waitFor();
  expect(await page.getByRole('button', { name: /Correct|Save new/ }).count()).toBe(0);
});

test('an export has the shown version in the layout of the run', long, async () => {
  const id = await harbour();
  const holdfast = new HoldfastClient({ url: system.server.url });
  const { files } = await holdfast.get(id);
  const known = files.find(({ kind }) => kind === 'correction')?.version ?? 0;
  const text = 'One --> <b>two</b> & three, a line that is longer than thirty characters.';
  const segments = [{ id: 0, start: 1, end: 4, text, chunk: 0 }];
  await holdfast.saveTranscript(id, { segments, duration: 10, complete: true, missing: [] }, known);
  await visit(`/runs/${id}`);
  const exported = async (kind: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('group', { name: 'Export' }).getByRole('button', { name: kind, exact: true }).click(),
    ]);
    return await readFile(await download.path(), 'utf8');
  };
  const vtt = await exported('WebVTT');
  expect(vtt).toMatch(/^WEBVTT\n\n1\n00:00:01\.000 --> /);
  expect(vtt).toContain('One --&gt; &lt;b&gt;two&lt;/b&gt; &amp;');
  const lines = (await exported('SRT')).split('\n').filter((line) => /[a-z]/.test(line));
  expect(lines.join(' ')).toBe(text.replace('-->', '→'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(30);
  expect(await exported('Text')).toBe(`${text}\n`);
  expect(JSON.parse(await exported('JSON'))).toMatchObject({ text, segments });
});

matrixTest(
  'a correction among 10,000 words draws one line again, and search and playback draw none',
  long,
  async () => {
    const id = await harbour();
    const holdfast = new HoldfastClient({ url: system.server.url });
    const { files } = await holdfast.get(id);
    const known = files.find(({ kind }) => kind === 'correction')?.version ?? 0;
    const segments = Array.from({ length: 600 }, (_, index) => {
      const words = Array.from({ length: 17 }, (_, at) => ({
        ...{ text: `word${index}x${at}`, start: index * 6 + at / 3, end: index * 6 + at / 3 + 0.3, confidence: 0.9 },
      }));
      const text = words.map(({ text: said }) => said).join(' ');
      return { id: index, start: index * 6, end: index * 6 + 6, text, chunk: 0, words };
    });
    await holdfast.saveTranscript(id, { segments, duration: 3600, complete: true, missing: [] }, known);
    await visit(`/runs/${id}`);
    await word('word300x3').waitFor();
    await page.evaluate(`(() => {
    window.drawn = new Set();
    new MutationObserver((changes) => {
      for (const { target } of changes) window.drawn.add(target.closest('li')?.textContent.slice(0, 5) ?? 'all');
    }).observe(document.querySelector('.transcript'), { childList: true, subtree: true });
  })()`);
    const drawn = async (): Promise<string[]> => await page.evaluate('[...window.drawn]');
    // The sound ends after 10 s.
    await word('word2x3').click();
    await expect.poll(() => page.locator('.transcript [aria-current=true]').textContent()).toBe('word1x12');
    await page.getByLabel('Search the transcript').fill('word');
    await page.getByText('1 of 10200', { exact: true }).waitFor();
    await expect.poll(() => page.locator('[data-hit]').count()).toBe(10_200);
    expect(await drawn()).toEqual([]);
    await word('word300x3').click();
    await page.keyboard.press('e');
    await page.keyboard.type(' more');
    await page.keyboard.press('Enter');
    await page.getByText('1 unsaved change').waitFor();
    expect(await drawn()).toEqual(['30:00']);
  },
);
