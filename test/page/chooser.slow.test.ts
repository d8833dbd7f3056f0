import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { defaultLocalKey } from '../../contract/local-provider.ts';
import { oneWord, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { limitUpload } from '../support/browser.ts';
import { motion, quickH264, tone } from '../support/films.ts';
import { useFolder } from '../support/folder.ts';
import { longWav, probeAudio } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { run } from '../support/process.ts';
import { matrixTest, rowsExcept } from '../support/rows.ts';
import { chooserOf, expectKept, startChosen, startFiles } from './chooser.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const open = useVisitors();

let visitor: Visitor;
let page: Page;
/** Paths of files by name. */
const files: Record<string, string> = {};

const captions = '1\n00:00:00,500 --> 00:00:01,500\nThe harbour\n';
const chapters = [0, 1].map((at) => `[CHAPTER]\nTIMEBASE=1/1\nSTART=${at}\nEND=${at + 1}\ntitle=Part ${at}\n`);

async function make(name: string, ...options: readonly string[]): Promise<void> {
  const path = (files[name] = join(folder, name));
  const { code, output } = await run('ffmpeg', ['-v', 'error', ...options, path]);
  expect(code, output).toBe(0);
}

async function write(name: string, text: string): Promise<string> {
  const path = (files[name] = join(folder, name));
  await writeFile(path, text);
  return path;
}

const folder = useFolder();
const [srt, marks] = [await write('eng.srt', captions), await write('marks.txt', `;FFMETADATA1\n${chapters.join('')}`)];
const inputs = [...motion(3, '25', '320x180'), ...tone(3), '-i', srt, '-i', marks, '-map_chapters', '3'];
const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:s', '-c:a', 'aac', '-c:s', 'mov_text'];
await make('Harbour.mp4', ...inputs, ...maps, ...quickH264);
files['Said.mp4'] = join(folder, 'Said.mp4');
await copyFile(files['Harbour.mp4'] ?? '', files['Said.mp4']);
await make('Voice.mp4', ...tone(2), '-c:a', 'aac');
await make('cover.png', '-f', 'lavfi', '-i', 'color=red:s=1500x1500', '-frames:v', '1');
await make('logo.png', '-f', 'lavfi', '-i', 'color=white:s=64x64', '-frames:v', '1');
for (const name of ['Talk.wav', 'Again.wav', 'Own.wav', 'Stream.wav', 'Lost.wav']) {
  files[name] = join(folder, name);
  await copyFile(await longWav({ seconds: 2, channels: 2 }), files[name]);
}
files['Long.wav'] = join(folder, 'Long.wav');
await copyFile(await longWav({ seconds: 30, channels: 2 }), files['Long.wav']);
const provider = await stopAfterAll(TranscriptionServer.start(oneWord));
const providersFile = await write(
  'providers.json',
  JSON.stringify({ [defaultLocalKey]: { kind: 'openai-transcription', url: provider.url } }),
);
const system = await stopAfterAll(
  PageStack.start({}, { workerEnvironment: { PROVIDERS_FILE: providersFile }, sharesMedia: true }),
);

beforeEach(async () => {
  visitor = await open(system.server.url);
  page = visitor.page;
  await page.locator('.connection.live').waitFor();
});

const chooser = () => chooserOf(page);
const box = (title: string) => chooser().locator('.result', { has: page.getByText(title, { exact: true }) });
const start = () => chooser().getByRole('button', { name: /^Start/ });
const choose = async (...names: string[]): Promise<void> =>
  await page.locator('.drop input[type=file]').setInputFiles(names.map((name) => files[name] ?? ''));
const rowOf = (name: string, state = '') => page.locator(`.row${state}`, { hasText: name });
const focused = async (): Promise<string> => await page.evaluate('document.activeElement.textContent');

interface Run {
  id: string;
  owner?: string;
  input: { sourceUrl: string; outputs: Record<string, unknown>[] };
  files: { kind: string; name: string; url: string; bytes: number }[];
}

/** The latest encode of a file, once it has succeeded. */
async function finished(name: string): Promise<Run> {
  const encodes = page.locator('.to-run:not([data-id*="-transcript-"])');
  const row = rowOf(name, '.succeeded').filter({ has: encodes }).first();
  await row.waitFor();
  const id = await row.locator('.to-run').getAttribute('data-id');
  return (await system.server.get(`/api/runs/${id}`)).body as Run;
}

async function save({ files: made }: Run, name: string): Promise<string> {
  const url = made.find((file) => file.kind === 'output' && file.name === name)?.url;
  const path = join(folder, `saved ${name}`);
  await writeFile(path, Buffer.from(await (await fetch(new URL(url ?? '', system.server.url))).arrayBuffer()));
  return path;
}

test('a film is inspected while it uploads, and one button starts several results with tags and captions', async () => {
  const started: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/api\/(?:runs|uploads)$/.test(request.url())) started.push(request.url());
  });
  const { size } = await stat(files['Harbour.mp4'] ?? '');
  const lift = await limitUpload(page, size / 100);
  await choose('Harbour.mp4');
  await chooser()
    .getByText(/^0:03 · 320 × 180 · /)
    .waitFor();
  await chooser()
    .getByText(/% uploaded/)
    .waitFor();
  await lift();
  const groups = await chooser().locator('.preset-group h3').allTextContents();
  expect(groups).toEqual(['Web', 'Streaming', 'Social media', 'Audio only', 'Archive and editing']);
  await chooser().getByText('0:03 · H264 320 × 180 25 fps · AAC mono · 2 chapters · 1 subtitle track').waitFor();

  await box('Web video, large').click();
  await chooser().getByRole('searchbox', { name: 'Search presets' }).fill('small h264');
  await box('Web video, small').click();
  await chooser().getByRole('searchbox').fill('podcast mono');
  expect(await chooser().locator('.result').count()).toBe(1);
  await box('Podcast, speech only').click();
  await chooser().getByRole('searchbox').fill('');
  await chooser().getByText('2 results: Web video, small; Podcast, speech only').waitFor();

  await chooser().getByText('Title, chapters, captions, trim and more').click();
  await chooser().getByText('Subtitles: not possible in Podcast, speech only.').waitFor();
  await chooser().getByLabel('Title', { exact: true }).fill('Out to sea');
  await chooser().getByRole('combobox', { name: 'Chapters' }).selectOption('My list');
  await chooser().getByLabel('One chapter per line').fill('0:00 Harbour\nThe sea');
  await chooser().getByRole('combobox', { name: 'Cover' }).selectOption('My picture');
  await chooser()
    .getByLabel('Cover picture')
    .setInputFiles(files['cover.png'] ?? '');
  await chooser().getByLabel('End', { exact: true }).fill('0:02');
  await chooser().getByLabel('Subtitles in the file').selectOption('Keep as tracks');
  await chooser()
    .getByLabel('Subtitle file')
    .setInputFiles(files['eng.srt'] ?? '');
  await chooser().getByLabel('Language').fill('english');
  await chooser()
    .getByLabel('Picture (JPEG, PNG or WebP)', { exact: true })
    .setInputFiles(files['logo.png'] ?? '');
  await chooser().getByLabel('Place').selectOption('Top left');
  expect(await visitor.findings()).toEqual([]);
  await start().click();
  await chooser().getByRole('alert').getByText('“The sea” does not begin with a time').waitFor();
  await chooser().getByLabel('One chapter per line').fill('0:00 Harbour\n0:01 The sea');
  await start().click();
  await chooser().getByRole('alert').getByText('three letters of a language').waitFor();
  // Only the film was sent: wrong entries are reported before further files.
  expect(started).toHaveLength(1);
  await chooser().getByLabel('Language').fill('eng');
  await start().click();
  await chooser().waitFor({ state: 'hidden' });

  const made = await finished('Harbour.mp4');
  expect(made.files.filter(({ kind }) => kind === 'output').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Harbour.mp4', 'Harbour.mp3', 'Harbour.poster.jpg', 'Harbour.peaks.json']),
  );
  const entries = 'format=duration:format_tags=title:chapter_tags=title:stream=codec_name';
  const probe = ['-v', 'error', '-show_entries', entries, '-of', 'json', await save(made, 'Harbour.mp4')];
  const facts = JSON.parse((await run('ffprobe', probe)).output) as Record<string, unknown>;
  expect(facts).toMatchObject({ format: { tags: { title: 'Out to sea' } } });
  expect((facts['chapters'] as object[]).slice(0, 2)).toMatchObject([
    { tags: { title: 'Harbour' } },
    { tags: { title: 'The sea' } },
  ]);
  const codecs = (facts['streams'] as { codec_name?: string }[]).map(({ codec_name: codec }) => codec);
  expect(codecs.filter((codec) => codec === 'mov_text')).toHaveLength(2);
  expect(codecs).toEqual(expect.arrayContaining(['h264', 'aac', 'mjpeg']));
  expect(await probeAudio(await save(made, 'Harbour.mp3'))).toMatchObject({ channels: 1 });
  expect(made.input.outputs[0]).toMatchObject({ watermark: { place: 'top-left' }, trim: { end: 2 } });
  expect((await probeAudio(await save(made, 'Harbour.mp3'))).duration).toBeCloseTo(2, 0);
});

matrixTest('a film gets a track of what is said in it, and the transcript can be saved', async () => {
  await choose('Said.mp4');
  await box('Web video, small').click();
  await chooser().getByText('Title, chapters, captions, trim and more').click();
  await chooser().getByLabel('Text of what is said').selectOption('Add as a track');
  await chooser().getByLabel('Spoken language').fill('english');
  expect(await visitor.findings()).toEqual([]);
  await start().click();
  await chooser().getByRole('alert').getByText('three letters of a language').waitFor();
  await chooser().getByLabel('Spoken language').fill('eng');
  await start().click();
  await chooser().waitFor({ state: 'hidden' });
  const made = await finished('Said.mp4');
  const film = await save(made, 'Said.mp4');
  const { output } = await run('ffmpeg', ['-v', 'error', '-i', film, '-map', '0:s:m:language:eng', '-f', 'srt', '-']);
  expect(output).toContain('w0');
  expect(made.files.map(({ name }) => name)).toEqual(expect.arrayContaining(['Said.mp4', 'transcript.vtt']));
  await page.goto(`${system.server.url}/runs/${made.id}`);
  await page.locator('.files li', { hasText: 'transcript.vtt' }).getByText('Captions (WebVTT)').waitFor();
  await page.locator('.transcript').getByText('w0', { exact: true }).waitFor();
});

test('Escape closes the chooser, keeps the upload and returns the focus; Enter starts with the last choice', async () => {
  await page.getByRole('button', { name: 'Choose files' }).focus();
  await choose('Talk.wav');
  await chooser().waitFor();
  await expect.poll(focused).toBe('Start');
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await focused()).toBe('Choose files');
  await page.locator('.upload').getByText('Uploaded. Choose the results.').waitFor();
  expect(await visitor.findings()).toEqual([]);
  expect(await rowOf('Talk.wav').count()).toBe(0);
  await expectKept(page, files['Talk.wav'] ?? '');

  // A refused choice leaves the upload, for which another choice can be made.
  const refusal = { status: 400, json: { status: 400, code: 'invalid_request', detail: 'The request is not valid.' } };
  await page.route('**/api/runs', (route) => route.fulfill(refusal), { times: 1 });
  await page.getByRole('button', { name: 'Choose results: Talk.wav' }).click();
  await startChosen(page, 'Podcast in Opus');
  await page.locator('.upload').getByText('The request is not valid.').waitFor();
  await page.getByRole('button', { name: 'Choose results: Talk.wav' }).click();
  await startChosen(page);
  expect((await finished('Talk.wav')).input.outputs[0]).toMatchObject({ preset: 'podcast-opus' });
  await page.reload();
  await page.locator('.last').getByText('Podcast in Opus').waitFor();
  await choose('Again.wav');
  await chooser().waitFor();
  await expect.poll(focused).toBe('Start');
  await page.keyboard.press('Enter');
  expect((await finished('Again.wav')).input.outputs[0]).toMatchObject({ preset: 'podcast-opus' });
});

test('ten seconds of the result play beside the source before a run, and the next run is estimated from past ones', async () => {
  // ffmpeg may end before it reports a speed. The speed of its start does not count.
  const paces = [
    { phase: 'encode', speed: 2, percent: 50 },
    { phase: 'encode', speed: 0.001, percent: 14 },
  ];
  const event = paces.map((pace) => `event: run\ndata: ${JSON.stringify(pace)}\n\n`).join('');
  const stream = { contentType: 'text/event-stream', body: event };
  await page.route('**/api/runs/*/events', (route) => route.fulfill(stream), { times: 1 });
  await choose('Long.wav');
  await chooser().getByRole('button', { name: 'Preview 10 seconds' }).click();
  await chooser()
    .getByText(/^Encoding the whole takes about [\d.]+ s$/)
    .waitFor();
  const whole = await chooser()
    .getByText(/: about [\d.]+ kB for the whole, if all of it is like these seconds$/)
    .textContent();
  const players = chooser().locator('.preview audio');
  const timesOf = async (time: 'duration' | 'currentTime'): Promise<number[]> =>
    await players.evaluateAll((all, name) => all.map((player) => Reflect.get(player, name) as number), time);
  await expect.poll(() => timesOf('duration').then(([, made]) => Math.round(made ?? 0))).toBe(10);
  await chooser().getByRole('slider').press('ArrowRight');
  await chooser().getByRole('radio', { name: 'Source' }).check({ force: true });
  const [inSource = 0, inResult = 0] = await timesOf('currentTime');
  expect(inResult).toBeGreaterThan(0);
  expect(inSource).toBeCloseTo(inResult + 10, 1);
  await chooser()
    .getByText(`0:0${Math.floor(inResult)} / 0:10`)
    .waitFor();
  expect(await visitor.findings()).toEqual([]);
  expect(await chooser().locator('.estimate').textContent()).toBe('');
  await start().click();
  // The preview is the other one.
  await rowOf('Long.wav', '.succeeded').nth(1).waitFor();
  expect((await finished('Preview of Long.wav')).input).toMatchObject({ preview: true });
  const made = await finished('Long.wav');
  const bytes = made.files.find(({ kind }) => kind === 'output')?.bytes ?? 0;
  expect(Math.abs((Number(/about ([\d.]+) kB/.exec(whole ?? '')?.[1]) * 1000) / bytes - 1)).toBeLessThan(0.15);

  await choose('Long.wav');
  await chooser()
    .getByText(/^About [\d.]+ s · [\d.]+ kB, from 1 past run$/)
    .waitFor();
  await page.keyboard.press('Escape');
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Discard: Long.wav' }).click();
  expect((await removed).status()).toBe(204);
  await page.reload();
  await page.locator('.connection.live').waitFor();
  expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('tus::'))`)).toEqual([]);
});

matrixTest('a file is inspected again after the connection was lost', async () => {
  await page.route('**/api/inspect', (route) => route.abort('connectionreset'), { times: 1 });
  await choose('Talk.wav');
  await chooser().getByRole('alert').getByText('The server does not answer').waitFor();
  await chooser().getByText('0:02 · PCM_S16LE stereo').waitFor();
  expect(await chooser().getByRole('alert').count()).toBe(0);
});

matrixTest('cancelling an upload keeps its file if the answer about its run was lost', async () => {
  await page.route('**/api/runs', async (route) => {
    const isStart = route.request().method() === 'POST';
    if (isStart) await route.fetch();
    await (isStart ? route.abort('connectionreset') : route.fallback());
  });
  await startFiles(page, files['Lost.wav'] ?? '', 'Podcast, speech only');
  await page.getByRole('button', { name: 'Cancel: Lost.wav' }).click();
  await expect.poll(() => page.locator('.upload', { hasText: 'Lost.wav' }).count()).toBe(0);
  await page.unroute('**/api/runs');
  await page.reload();
  expect((await finished('Lost.wav')).files.map(({ kind }) => kind)).toContain('source');
});

matrixTest('a run is repeated with one change, and keeps its name, owner, results and tags', async () => {
  await startFiles(page, files['Talk.wav'] ?? '', 'Podcast, speech only');
  const { sourceUrl } = (await finished('Talk.wav')).input;
  const output = {
    preset: 'podcast-aac',
    metadata: { title: 'The harbour' },
    chapters: [
      { start: 0, title: 'Ships' },
      { start: 1, title: 'Gulls' },
    ],
    trim: { start: 0.5 },
    uploadUrl: 'result:play.m4a',
  };
  const earlier = { sourceUrl, sourceName: 'Radio play.wav', outputs: [output] };
  const { body } = await system.server.post('/api/runs', { workflow: 'encode', owner: 'anna', input: earlier });
  await rowOf('Radio play.wav', '.succeeded').waitFor();
  await page.goto(`${system.server.url}/?owner=anna`);
  await rowOf('Radio play.wav').getByRole('link').click();
  await page.getByRole('button', { name: 'Repeat with changes…' }).click();
  await chooser().getByText('1 result: Podcast in AAC').waitFor();
  await chooser().getByText('Title, chapters, trim and more').click();
  expect(await chooser().getByLabel('Title', { exact: true }).inputValue()).toBe('The harbour');
  expect(await chooser().getByLabel('One chapter per line').inputValue()).toBe('0:00 Ships\n0:01 Gulls');
  await chooser().getByLabel('End', { exact: true }).fill('1.5');
  await start().click();
  // The filter by owner would hide runs of others.
  await expect.poll(() => page.url()).toBe(`${system.server.url}/`);
  await expect.poll(() => rowOf('Radio play.wav', '.succeeded').count()).toBe(2);
  const repeated = await finished('Radio play.wav');
  expect(repeated.id).not.toBe(body.id);
  expect(repeated.owner).toBe('anna');
  const { uploadUrl: _, ...kept } = output;
  expect(repeated.input.outputs[0]).toMatchObject({ ...kept, trim: { start: 0.5, end: 1.5 } });
});

matrixTest(
  'a mixed drop asks once for each kind, and a file that cannot be decoded is reported before a run',
  async () => {
    await choose('Harbour.mp4', 'Talk.wav');
    await chooser().getByText('Harbour.mp4', { exact: true }).waitFor();
    await chooser().getByText('Then you choose for 1 file of another kind.').waitFor();
    await start().click();
    await chooser().getByText('Talk.wav', { exact: true }).waitFor();
    expect(await chooser().locator('.preset-group h3').allTextContents()).not.toContain('Web');
    await page.keyboard.press('Escape');
    await write('Broken.wav', 'this is no sound');
    await page.getByRole('button', { name: /^(?:Cancel|Discard): Talk\.wav$/ }).click();
    await choose('Broken.wav');
    await chooser()
      .getByRole('alert')
      .getByText(/cannot be decoded/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard: Broken.wav' }).click();
    await expect.poll(() => page.locator('.upload').count()).toBe(0);
    await choose('Voice.mp4');
    await chooser().getByText('The file has no pictures').waitFor();
    await startChosen(page, 'Archive');
    expect((await finished('Voice.mp4')).input.outputs[0]).toMatchObject({ preset: 'archive-flac' });
  },
);

test.each(rowsExcept([390], [390, 320]))(
  'the chooser fits a phone of %i pixels, and its button stays in view',
  async (width) => {
    await page.setViewportSize({ width, height: 700 });
    await choose('Harbour.mp4');
    await start().waitFor();
    await chooser().getByText('Title, chapters, captions, trim and more').click();
    const isInView = async (): Promise<boolean> => {
      const { x = -1, y = -1, width: wide = 0, height = 0 } = (await start().boundingBox()) ?? {};
      return x >= 0 && y >= 0 && x + wide <= width && y + height <= 700;
    };
    expect(await isInView()).toBe(true);
    await chooser().getByLabel('Picture (JPEG, PNG or WebP)', { exact: true }).scrollIntoViewIfNeeded();
    expect(await isInView()).toBe(true);
    const overflow = `Array.from(document.querySelectorAll('.chooser, .chooser .body')).map(
    ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`;
    expect(await page.evaluate(overflow)).toEqual([0, 0]);
    expect(await visitor.findings()).toEqual([]);
  },
);

test('custom settings are saved under a name, checked first, and kept for later files', async () => {
  await page.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog', { name: 'Results of new runs' });
  await dialog.getByRole('button', { name: 'Custom settings…' }).click();
  const form = page.getByRole('form', { name: 'Custom settings' });
  await form.getByLabel('Name').fill('Small voice');
  await form.getByLabel('Container').fill('flac');
  const sound = form.getByRole('group').filter({ hasText: 'Audio' });
  await sound.getByLabel('Channels').fill('1');
  const use = form.getByRole('button', { name: 'Save and use' });
  await use.click();
  await form.getByRole('alert').getByText('flac files hold flac, not mp3').waitFor();
  await sound.getByLabel('Codec').fill('flac');
  await sound.getByLabel('Bitrate (kbit/s)').fill('');
  await sound.getByLabel('Sample rate (Hz)').fill('16000');
  expect(await visitor.findings()).toEqual([]);
  await use.click();
  await dialog.getByText('1 result: Small voice').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.reload();
  await startFiles(page, files['Own.wav'] ?? '', 'Small voice');
  const made = await finished('Own.wav');
  const saved = await save(made, 'Own.flac');
  expect(await probeAudio(saved)).toMatchObject({ codec: 'flac', sampleRate: 16_000, channels: 1 });

  await page.getByRole('button', { name: 'Change' }).click();
  await dialog.getByRole('button', { name: 'Edit Small voice' }).click();
  await form.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => dialog.getByText('Small voice').count()).toBe(0);
});

matrixTest('custom settings of a package say which of its settings the form cannot show, and keep them', async () => {
  await page.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog', { name: 'Results of new runs' });
  await dialog.locator('.result', { hasText: 'Podcast with music' }).click();
  await dialog.getByRole('searchbox').fill('streaming');
  await dialog.locator('.result', { hasText: 'Audio streaming' }).click();
  await dialog.getByRole('button', { name: 'Custom settings…' }).click();
  const form = page.getByRole('form', { name: 'Custom settings' });
  await form.getByText(/no fields for some settings of the preset.*: package, audio\.$/).waitFor();
  await form.getByLabel('Name').fill('Loud stream');
  await form.getByLabel('Loudness').selectOption('"podcast"');
  expect(await form.getByLabel('Container').count()).toBe(0);
  await form.getByRole('button', { name: 'Save and use' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await startFiles(page, files['Stream.wav'] ?? '', 'Loud stream');
  const { input } = await finished('Stream.wav');
  expect(input.outputs[0]).toMatchObject({ package: ['hls', 'dash'], loudness: 'podcast', video: false });
  expect(input.outputs[0]?.['audio']).toHaveLength(3);
});
