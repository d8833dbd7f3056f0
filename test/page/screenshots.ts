/**
 * Takes screenshots of the page with real runs: `npm run screenshots [-- <folder>]`. The default folder is `docs/`.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.ts';
import { longWav, musicOgg, speechWav } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { projectRoot } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

const folder = resolve(process.argv[2] ?? join(projectRoot, 'docs'));
await mkdir(folder, { recursive: true });
const media = await mkdtemp(join(tmpdir(), 'holdfast-screenshots-'));
const page = await PageStack.start();
const browser = await launchBrowser(await toolPath('CHROMIUM_PATH'));

async function fileNamed(name: string, source: string): Promise<string> {
  const path = join(media, name);
  await copyFile(source, path);
  return path;
}

async function drop(view: Page, ...paths: string[]): Promise<void> {
  await view.locator('input[type=file]').setInputFiles(paths);
}

try {
  const view = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  view.on('console', (message) => message.type() === 'error' && console.error(message.text()));
  view.on('pageerror', (error) => console.error(error));
  await view.goto(page.server.url);
  await view.getByText('No runs yet').waitFor();
  await view.screenshot({ path: join(folder, 'page-empty.png') });

  await writeFile(join(media, 'broken.wav'), 'this is no sound');
  await drop(view, join(media, 'broken.wav'));
  await view.locator('.row.failed').waitFor();
  await drop(view, await fileNamed('Interview with Anna.wav', speechWav));
  await view.locator('.row.succeeded').waitFor();
  await drop(view, await fileNamed('Opening music.ogg', musicOgg));
  await view.locator('.row.succeeded').nth(1).waitFor();
  await drop(view, await fileNamed('Episode 41 – Harbour.wav', await longWav({ seconds: 1200, channels: 2 })));
  await drop(view, await fileNamed('Episode 42 – Lighthouse.wav', speechWav));
  await view.locator('.row.running progress').waitFor();
  await view.locator('.row.waiting, .row.queued').first().waitFor();
  await view.screenshot({ path: join(folder, 'page-list.png') });
  await view.emulateMedia({ colorScheme: 'dark' });
  await view.screenshot({ path: join(folder, 'page-list-dark.png') });
  await view.setViewportSize({ width: 390, height: 844 });
  await view.screenshot({ path: join(folder, 'page-phone-dark.png') });
  await view.emulateMedia({ colorScheme: 'light' });
  await view.screenshot({ path: join(folder, 'page-phone.png'), fullPage: true });
  await view.setViewportSize({ width: 1280, height: 860 });
  await view.getByRole('button', { name: 'Change' }).click();
  await view.screenshot({ path: join(folder, 'page-presets.png'), fullPage: true });
  await view.getByRole('button', { name: 'Close' }).first().click();
  await view.getByRole('link', { name: 'Episode 42 – Lighthouse.wav' }).click();
  await view.locator('.timeline .lane').waitFor();
  await view.screenshot({ path: join(folder, 'page-waiting.png'), fullPage: true });
  await view.goBack();
  await view.getByRole('link', { name: 'Interview with Anna.wav' }).click();
  await view.getByRole('button', { name: 'Play' }).click();
  await view.locator('[aria-valuenow="2"]').waitFor();
  await view.getByRole('button', { name: 'Pause' }).click();
  await view.screenshot({ path: join(folder, 'page-run.png'), fullPage: true });
  await view.emulateMedia({ colorScheme: 'dark' });
  await view.screenshot({ path: join(folder, 'page-run-dark.png'), fullPage: true });
  await view.setViewportSize({ width: 390, height: 844 });
  await view.screenshot({ path: join(folder, 'page-run-phone.png'), fullPage: true });
  await view.setViewportSize({ width: 1280, height: 860 });
  await view.emulateMedia({ colorScheme: 'light' });
  await view.goto(`${page.server.url}/operators`);
  await view.locator('.figures').waitFor();
  await view.screenshot({ path: join(folder, 'page-operators.png') });
  await view.goto(page.server.url);
  await view.getByRole('link', { name: 'broken.wav' }).click();
  await view.locator('.failure').waitFor();
  await view.screenshot({ path: join(folder, 'page-failed.png'), fullPage: true });
} finally {
  await browser.close();
  await page.stop();
  await rm(media, { recursive: true });
}
