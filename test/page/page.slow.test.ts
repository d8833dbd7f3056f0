import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { RunTickets } from '../../server/access/run-tickets.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { useFolder } from '../support/folder.ts';
import { longWav, probeAudio } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { TestServer } from '../support/server.ts';
import { chooserOf, startChosen, startFiles } from './chooser.ts';
import { phone, type Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const open = useVisitors();

let page: Page;
let visitor: Visitor;

const folder = useFolder();
const media = await stopAfterAll(MediaServer.start());
const system = await stopAfterAll(PageStack.start());

beforeEach(async () => {
  await visit(system.server.url);
});

async function visit(url: string, device?: BrowserContextOptions): Promise<void> {
  visitor = await open(url, device);
  page = visitor.page;
}

const findings = async (): Promise<string[]> => await visitor.findings();

async function wav(name: string, seconds: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, await readFile(await longWav({ seconds, channels: 2 })));
  return path;
}

/** Drops a file as from a file manager. */
async function drop(path: string, name: string): Promise<void> {
  const content = (await readFile(path)).toString('base64');
  const transfer = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(content)}), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'audio/wav' }));
    return transfer;
  })()`);
  await page.locator('main').dispatchEvent('drop', { dataTransfer: transfer });
}

const rowOf = (name: string, state = '') => page.locator(`.row${state}`, { hasText: name });
const link = (name: string) => page.getByRole('link', { name, exact: true });
const choose = async (...paths: string[]): Promise<void> => await startFiles(page, paths);

const patience = { timeout: 100_000 };

/** State of each version's audio element. */
async function positions(): Promise<{ at: number; paused: boolean }[]> {
  return await page.evaluate(
    `Array.from(document.querySelectorAll('audio'), ({ currentTime: at, paused }) => ({ at, paused }))`,
  );
}

describe('page', () => {
  test('a person drops a file, follows its run, and compares the result with the source', async () => {
    await page.getByText('No runs yet').waitFor();
    const loaded = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
      `performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
    );
    expect(loaded.filter(({ name }) => !name.startsWith(system.server.url))).toEqual([]);
    const scripts = loaded.filter(({ name }) => name.endsWith('.js'));
    expect(scripts.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0)).toBeLessThanOrEqual(20 * 1024);
    expect(await findings()).toEqual([]);
    await drop(await wav('first.wav', 16), 'Talk & tea.wav');
    await startChosen(page);
    await rowOf('Talk & tea.wav', '.succeeded').waitFor();
    await link('Talk & tea.wav').click();
    await page.getByText('Processor time', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => (await positions())[1]?.at, patience).toBeGreaterThan(0.5);
    // Measured at the switch itself, because the playing version moves on afterwards.
    const gap = page.evaluate<number>(`new Promise((resolve) => {
      const [source, result] = document.querySelectorAll('audio');
      source.play = () => {
        resolve(source.currentTime - result.currentTime);
        return HTMLMediaElement.prototype.play.call(source);
      };
    })`);
    await page.getByLabel('Source', { exact: true }).check({ force: true });
    expect(Math.abs(await gap)).toBeLessThan(0.15);
    expect((await positions()).map(({ paused }) => paused)).toEqual([false, true]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('slider', { name: 'Position' }).press('Home');
    expect((await positions())[0]?.at).toBe(0);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download Talk & tea.mp3' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Talk & tea.mp3');
    const saved = join(folder, 'saved.mp3');
    await download.saveAs(saved);
    const { codec, duration } = await probeAudio(saved);
    expect(codec).toBe('mp3');
    expect(duration).toBeCloseTo(16, 0);
    // The result has the loudness of its preset, whatever the source's level.
    await page.getByRole('img', { name: /^Loudness · −1[56]\.\d LUFS integrated · target −16\.0 LUFS$/ }).waitFor();
    await page.getByRole('img', { name: /^Spectrogram of the audio/ }).waitFor();
    await page.getByText('Talk & tea.wav (uploaded)').waitFor();
    const pixels = async (): Promise<unknown> =>
      await page.evaluate(`document.querySelector('.spectrogram img').naturalWidth`);
    await expect.poll(pixels, patience).toBe(1800);
    const labels = async (axis: string): Promise<string[]> => await page.locator(`${axis} span`).allTextContents();
    expect(await labels('.curve .axis-y')).toEqual(['−40', '−20', '0']);
    for (const picture of ['.curve', '.spectrogram']) {
      expect(await labels(`${picture} .axis-x`)).toEqual(['0:00', '0:05', '0:10', '0:15']);
    }
    expect(await labels('.spectrogram .axis-y')).toEqual(['0 kHz', '10 kHz', '20 kHz']);
    // The pictures lie below the waveform, which has the same time axis.
    const left = async (part: string): Promise<unknown> =>
      await page.evaluate(`document.querySelector('${part}').getBoundingClientRect().left`);
    expect(await left('.spectrogram img')).toBe(await left('.waveform'));
    expect(await left('.curve svg')).toBe(await left('.waveform'));
    for (const label of await labels('.timeline .axis-x')) expect(label).toMatch(/^(0|\d+(\.5)? s)$/);
    await page.getByText('Copy as a command').click();
    expect(await page.locator('.copy pre').textContent()).toContain('"preset": "podcast-mp3-stereo"');
    expect(await findings()).toEqual([]);
  });

  test('a person sees in the dialog which file is empty, and later makes other results of an old source', async () => {
    const empty = join(folder, 'Empty.wav');
    await writeFile(empty, '');
    await page.locator('.drop input[type=file]').setInputFiles([await wav('Short.wav', 2), empty]);
    await chooserOf(page).getByText('Empty.wav is empty. Choose another file.').waitFor();
    await startChosen(page, 'Speech recognition');
    await rowOf('Short.wav', '.succeeded').waitFor();
    await link('Short.wav').click();
    await page.getByRole('button', { name: 'Repeat with changes…' }).click();
    await chooserOf(page).getByText('Short.wav', { exact: true }).waitFor();
    await startChosen(page, 'Archive');
    await page.locator('.row.succeeded', { hasText: 'Short.wav' }).nth(1).waitFor();
    await page.getByText('Archive ·').waitFor();
  });

  test('an upload resumes after a connection reset, offline time, a reload, a pause and a server restart', async () => {
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 150_000 };
    const hanging = Promise.withResolvers<void>();
    let sends = 0;
    await page.route('**/api/uploads/*', async (route) => {
      const send = route.request().method() === 'PATCH' ? (sends += 1) : undefined;
      if (send === 1) return await route.abort('connectionreset');
      if (send === 2) await hanging.promise;
      await route.continue();
    });
    await page.locator('.connection.live').waitFor();
    const limit = async (conditions: object): Promise<unknown> =>
      await network.send('Network.emulateNetworkConditions', { ...slow, ...conditions });
    await limit({});
    // The upload takes more than half a minute at this speed, so it is still running when it is paused.
    const long = await wav('Long way.wav', 30);
    await choose(long);
    const upload = page.locator('.upload');
    await upload.getByText(/% uploaded · [\d.]+ MB · Waiting for the connection$/).waitFor();
    expect(await findings()).toEqual([]);
    await limit({ offline: true });
    hanging.resolve();
    await page.locator('.upload.stalled').getByText('the upload continues when the server answers').waitFor();
    await limit({});
    await upload.getByText(/· [\d.]+ kB\/s · .* left$/).waitFor();
    await expect
      .poll(async () => Number(await upload.locator('progress').getAttribute('value')), patience)
      .toBeGreaterThan(4);

    // Browsers ask only after a click.
    await page.locator('h1').click();
    page.removeAllListeners('dialog');
    const asked = page.waitForEvent('dialog');
    await Promise.all([page.reload(), asked.then(async (dialog) => await dialog.accept())]);
    expect((await asked).type()).toBe('beforeunload');
    await upload.getByText(/^\d+ % of [\d.]+ MB uploaded\. Choose the file again to continue\.$/).waitFor();
    expect(await findings()).toEqual([]);
    const continued = page.waitForRequest((request) => request.method() === 'PATCH');
    await choose(long);
    expect(Number((await continued).headers()['upload-offset'])).toBeGreaterThan(100_000);
    expect(await upload.count()).toBe(1);
    await page.getByRole('button', { name: 'Pause: Long way.wav' }).click();
    await upload.getByText('Paused').waitFor();
    // No question: leaving interrupts nothing.
    await page.reload();
    await upload.getByText('Choose the file again').waitFor();
    await choose(long);
    await page.getByRole('button', { name: 'Pause: Long way.wav' }).click();
    await upload.getByText('Paused').waitFor();
    const stop = system.restartServer();
    await page.locator('.connection.lost').waitFor();
    expect(await findings()).toEqual([]);
    await stop;
    await limit({ uploadThroughput: -1 });
    await page.getByRole('button', { name: 'Resume: Long way.wav' }).click();
    await rowOf('Long way.wav', '.succeeded').waitFor();
    await page.locator('.connection.live').waitFor();
    expect(await upload.count()).toBe(0);
  });

  test('a failed run shows why and what to do, and runs are cancelled and rerun by keyboard', async () => {
    await writeFile(join(folder, 'Broken.wav'), 'this is no sound');
    await choose(join(folder, 'Broken.wav'));
    await rowOf('Broken.wav', '.failed').getByText('cannot be decoded').waitFor();
    await link('Broken.wav').click();
    await page.getByRole('heading', { name: 'This run failed' }).waitFor();
    expect(await page.locator('.failure').textContent()).toMatch(/cannot be decoded.*What to do: .*export it again/);
    expect(await findings()).toEqual([]);
    await page.goBack();

    await page.getByLabel('Or paste URLs, one per line').fill(media.on('GET /never.wav', () => {}));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await chooserOf(page).waitFor();
    // The button that starts has the focus.
    await page.keyboard.press('Enter');
    await rowOf('never.wav', '.running').waitFor();
    await page.locator('h1').click();
    await page.keyboard.press('/');
    await page.keyboard.type('Broken');
    await expect.poll(() => page.locator('.row').count(), patience).toBe(1);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await rowOf('never.wav').waitFor();
    await link('never.wav').focus();
    await page.keyboard.press('x');
    await page.evaluate(`
      window.asked = 0;
      window.shown = [];
      document.hasFocus = () => false;
      window.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() {
          window.asked += 1;
          return 'granted';
        }
        constructor(title, { body }) {
          super();
          window.shown.push([title, body]);
        }
      };
    `);
    const notify = page.getByRole('button', { name: 'Notify me when runs end' });
    expect(await page.evaluate('window.asked')).toBe(0);
    await notify.press('Enter');
    await page.locator('[aria-pressed=true]').waitFor();
    expect(await page.evaluate('window.asked')).toBe(1);
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
    await cancel.press('Enter');
    await page.getByRole('dialog', { name: 'Cancel this run?' }).waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press('Escape');
    // The run goes on, and the focus is back at the button.
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await rowOf('never.wav', '.running').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('1 run is being cancelled.').waitFor();
    await rowOf('never.wav', '.cancelled').waitFor();
    const shown = async (): Promise<unknown> => await page.evaluate('window.shown.slice(1)');
    await expect.poll(shown).toEqual([['Cancelled', 'never.wav']]);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await link('never.wav').focus();
    await page.keyboard.press('Enter');
    await page.getByText('This run was cancelled.').waitFor();
    const again = page.getByRole('button', { name: 'Run again' });
    const starts: string[] = [];
    page.on('request', (request) => request.url().endsWith('/rerun') && starts.push(request.url()));
    for (const start of ['Enter', 'double click']) {
      await again.focus();
      if (start === 'Enter') await page.keyboard.press('Enter');
      else await page.evaluate('document.activeElement.click(); document.activeElement.click();');
      await cancel.press('Enter');
      await page.getByRole('button', { name: 'Cancel the run' }).press('Enter');
      await page.getByText('This run was cancelled.').waitFor();
    }
    expect(starts).toHaveLength(2);
  });

  test('shows hostile names as text, and fits the width of a phone', async () => {
    const script = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const name = `${script}\u202E🎧 ${'long '.repeat(800)}.wav`;
    const sourceUrl = media.on(`GET /${encodeURIComponent(name)}`, () => {});
    const owner = '<b onmouseover=alert(3)>Anna</b> \u202E🎧';
    const { body } = await system.server.post('/api/runs', {
      workflow: 'encode',
      owner,
      input: { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: 'result:x.mp3' }] },
    });
    const dropHint = page.getByText('Drop audio or video files here');
    await dropHint.waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await dropHint.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await rowOf(script, '.running').waitFor();
    expect(await rowOf(script).textContent()).toContain(owner);
    await page.getByText('Change', { exact: true }).click();
    expect(await findings()).toEqual([]);
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    await page.goto(`${system.server.url}/runs/${body.id}`);
    await page.getByRole('heading', { level: 1 }).getByText(script).waitFor();
    expect(await page.evaluate(overflow)).toBe(0);
    expect(await findings()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.evaluate(overflow)).toBe(0);
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('This run was cancelled.').waitFor();
    await page.getByRole('link', { name: 'Containers' }).click();
    await page.locator('.figures').waitFor();
    expect(await findings()).toEqual([]);
  });

  test('a finger hits every control on a phone, and no name wraps in the middle', async () => {
    await visitor.close();
    await visit(system.server.url, phone);
    // The view of operators lists its failure.
    const sourceUrl = media.on('GET /gone.wav', (_, response) => void response.writeHead(404).end());
    const outputs = [{ format: 'mp3_64', uploadUrl: 'result:x.mp3' }];
    await system.server.post('/api/runs', { workflow: 'encode', input: { sourceUrl, outputs } });
    const height = async (part: string): Promise<unknown> =>
      await page.evaluate(`document.querySelector('${part}').getBoundingClientRect().height`);
    await choose(await wav('Lecture-3.wav', 2));
    await rowOf('Lecture-3.wav', '.succeeded').waitFor();
    await page.locator('.drop input[type=file]').setInputFiles(await wav('Lecture-4.wav', 2));
    const chooser = chooserOf(page);
    await chooser.getByText('Title, chapters, trim and more').tap();
    // What was tapped shows its content at once, above the presets.
    expect((await chooser.getByLabel('Title', { exact: true }).boundingBox())?.y).toBeLessThan(600);
    expect(await visitor.smallTargets()).toEqual([]);
    const chosen = chooser.getByRole('checkbox', { checked: true });
    while ((await chosen.count()) > 0) await chosen.first().tap();
    const opacity = await page.evaluate(`getComputedStyle(document.querySelector('.chooser .main')).opacity`);
    expect(opacity).toBe('0.5');
    await chooser.getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('button', { name: 'Filters' }).tap();
    await page.locator('.upload').getByText('Uploaded.').waitFor();
    expect(await height('.upload .name')).toBeLessThan(30);
    expect(await height('.bar')).toBeLessThan(80);
    await rowOf('Lecture-3.wav').getByRole('checkbox').tap();
    await page.locator('.selection').waitFor();
    expect(await visitor.smallTargets()).toEqual([]);
    await link('Lecture-3.wav').tap();
    await page.getByText('Processor time', { exact: true }).waitFor();
    await page.getByText('Copy as a command').tap();
    expect(await visitor.smallTargets()).toEqual([]);
    await page.getByRole('link', { name: 'Containers and usage' }).tap();
    await page.locator('.errors li').first().waitFor();
    expect(await height('.errors a')).toBeLessThan(50);
    expect(await visitor.smallTargets()).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  test('a person shares results with somebody who cannot sign in', async () => {
    const token = 'anna-0123456789abcdef';
    const file = join(folder, 'sharing.json');
    const linkKey = 'x'.repeat(32);
    await writeFile(file, JSON.stringify([{ token, scopes: ['read', 'run'], owner: 'anna-the-owner' }]));
    const guarded = await TestServer.start({
      TEMPORAL_ADDRESS: system.stack.temporal.address,
      SERVER_TOKENS_FILE: file,
      SERVER_LINK_KEY: linkKey,
      MEDIA_ROOT: system.stack.container.mediaRoot,
    });
    await visitor.close();
    await visit(guarded.url);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await choose(await wav('Secret source.wav', 3));
    await rowOf('Secret source.wav', '.succeeded').waitFor();
    await link('Secret source.wav').click();
    await page.getByRole('button', { name: 'Share…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share the results' });
    await dialog.getByLabel('Expires after').selectOption('1 day');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const shared = await dialog.getByLabel('Link', { exact: true }).inputValue();
    expect(await findings()).toEqual([]);

    await visit(shared);
    await page.getByRole('heading', { name: 'Shared results' }).waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => (await positions())[0]?.at, patience).toBeGreaterThan(0.3);
    expect(await page.locator('body').textContent()).not.toMatch(/anna-the-owner|Secret source\.wav/);
    expect(await page.getByRole('button', { name: /Cancel|Run again|Share/ }).count()).toBe(0);
    expect(await findings()).toEqual([]);
    await page.goto(`${guarded.url}/shared#${'x'.repeat(40)}`);
    await page.getByRole('alert').getByText('This link does not exist.').waitFor();
    expect(await findings()).toEqual([]);
    const exp = Math.floor(Date.now() / 1000) - 60;
    const expired = await new RunTickets(linkKey, 'share').issue({ id: 'any', runId: 'any', exp });
    await page.goto(`${guarded.url}/shared#${expired}`);
    await page.getByRole('alert').getByText('This link has expired. Ask for a new one.').waitFor();
    // Another try would fail, too.
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await guarded.stop();
  });

  test('a person signs in with a token and sees only what its scopes allow', async () => {
    const token = 'anna-0123456789abcdef';
    const file = join(folder, 'tokens.json');
    await writeFile(file, JSON.stringify([{ token, scopes: ['read'], owner: 'anna' }]));
    const guarded = await TestServer.start({
      TEMPORAL_ADDRESS: system.stack.temporal.address,
      SERVER_TOKENS_FILE: file,
    });
    await visitor.close();
    await visit(guarded.url);
    await page.getByLabel('Token').fill('a token that is none');
    await page.keyboard.press('Enter');
    await page.getByText('The server does not accept this token.').waitFor();
    expect(await findings()).toEqual([]);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByText('No runs yet').waitFor();
    await page.locator('.connection.live').waitFor();
    // The token has the scope `read` only.
    expect(await page.getByText('New run').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    await guarded.stop();
  });
});
