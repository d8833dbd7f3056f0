/**
 * Takes screenshots of the page with real runs: `npm run screenshots [-- <folder>]`. The default folder is `docs/`.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFiles } from './chooser.ts';
import { launchBrowser } from '../support/browser.ts';
import { motion, quickH264, tone } from '../support/films.ts';
import { longWav, makeOnce, musicOgg, speechWav } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { projectRoot } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

const folder = resolve(process.argv[2] ?? join(projectRoot, 'docs'));
await mkdir(folder, { recursive: true });
const media = await mkdtemp(join(tmpdir(), 'holdfast-screenshots-'));
const page = await PageStack.start();
const browser = await launchBrowser(await toolPath('CHROMIUM_PATH'));

const film = await makeOnce('dawn-12s.mp4', [
  ...motion(12, '25', '1280x720'),
  ...tone(12),
  ...quickH264,
  '-c:a',
  'aac',
]);

async function fileNamed(name: string, source: string): Promise<string> {
  const path = join(media, name);
  await copyFile(source, path);
  return path;
}

try {
  const view = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  // Some of the runs take longer on a busy machine.
  view.setDefaultTimeout(180_000);
  view.on('console', (message) => message.type() === 'error' && console.error(message.text()));
  view.on('pageerror', (error) => console.error(error));
  await view.goto(page.server.url);
  await view.getByText('No runs yet').waitFor();
  await view.screenshot({ path: join(folder, 'page-empty.png') });

  await writeFile(join(media, 'broken.wav'), 'this is no sound');
  await startFiles(view, join(media, 'broken.wav'));
  await view.locator('.row.failed').waitFor();
  await startFiles(view, await fileNamed('Interview with Anna.wav', speechWav));
  await view.locator('.row.succeeded').waitFor();
  await startFiles(view, await fileNamed('Opening music.ogg', musicOgg));
  await view.locator('.row.succeeded').nth(1).waitFor();
  await startFiles(view, await fileNamed('Episode 41 – Harbour.wav', await longWav({ seconds: 1200, channels: 2 })));
  await startFiles(view, await fileNamed('Episode 42 – Lighthouse.wav', speechWav));
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
  await view.locator('.drop input[type=file]').setInputFiles(await fileNamed('Harbour at dawn.mp4', film));
  await view.locator('.source').getByText(/H264/).waitFor();
  await view.screenshot({ path: join(folder, 'page-chooser.png') });
  await view.emulateMedia({ colorScheme: 'dark' });
  await view.screenshot({ path: join(folder, 'page-chooser-dark.png') });
  for (const width of [390, 320]) {
    await view.setViewportSize({ width, height: 844 });
    await view.screenshot({ path: join(folder, `page-chooser-${width}.png`) });
  }
  await view.getByText('Title, chapters, captions, trim and more').click();
  await view.getByLabel('Subtitle file').scrollIntoViewIfNeeded();
  await view.screenshot({ path: join(folder, 'page-chooser-more-320.png') });
  await view.setViewportSize({ width: 1280, height: 860 });
  await view.emulateMedia({ colorScheme: 'light' });
  await view.getByLabel('Subtitle file').scrollIntoViewIfNeeded();
  await view.screenshot({ path: join(folder, 'page-chooser-more.png') });
  await view.getByRole('button', { name: 'Custom settings…' }).click();
  await view.getByLabel('Container').waitFor();
  await view.screenshot({ path: join(folder, 'page-custom.png') });
  await view.keyboard.press('Escape');
  await view
    .locator('.upload')
    .getByRole('button', { name: /^(Cancel|Discard)/ })
    .click();
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
