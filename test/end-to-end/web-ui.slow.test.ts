import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import { MediaServer } from '../fixtures/media-server.ts';
import { launchBrowser } from '../support/browser.ts';
import { longWav } from '../support/media.ts';
import { patient, TestStack } from '../support/stack.ts';
import { toolPath } from '../support/tools.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const chromiumPath = await toolPath('CHROMIUM_PATH');

const media = await stopAfterAll(MediaServer.start());
const stack = await stopAfterAll(
  TestStack.start({ ui: true, containerEnvironment: { ...patient, RETRY_AFTER_SECONDS: '50' } }),
);
await copyFile(await longWav({ seconds: 1200, channels: 2 }), join(stack.container.mediaRoot, 'long.wav'));
const browser = await launchBrowser(chromiumPath);

afterAll(() => browser.close());

/** Opens the page of a run with its summary, current details and summarised events. */
async function openMetadata(handle: WorkflowHandle): Promise<Page> {
  const { runId } = await handle.describe();
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(`${stack.temporal.uiUrl}/namespaces/default/workflows/${handle.workflowId}/${runId}/user-metadata`);
  return page;
}

/** All visible text; the UI shows Markdown in separate frames. */
async function shownText(page: Page): Promise<string> {
  return (await Promise.all(page.frames().map((frame) => frame.locator('body').innerText()))).join('\n');
}

async function untilShown(page: Page, text: RegExp): Promise<void> {
  const read = async (): Promise<string> => {
    const shown = await shownText(page);
    // A loaded server answers 429, and the UI does not ask again.
    if (shown.includes('Too Many Requests')) await page.reload();
    return shown;
  };
  await expect.poll(read).toMatch(text);
}

test('the Web UI shows why a run waits, until when, and its numbered attempts', async () => {
  const blocking = await stack.container.submit('/encode', {
    sourceUrl: media.on('GET /never', () => {}),
    outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl('blocking') }],
  });
  const handle = await stack.run('encode', {
    sourceUrl: 'https://media.example/episode.wav?X-Amz-Signature=secret',
    outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl('waiting.mp3') }],
  });
  await stack.untilStatus(handle, 'wait', ({ state }) => state === 'waiting');
  const page = await openMetadata(handle);
  await untilShown(page, /Rate limited: waiting 50 s, until \d\d:\d\d:\d\dZ/);
  await untilShown(page, /Attempt 1: encode mp3_128/);
  await untilShown(page, /media\.example\/episode\.wav → mp3_128/);
  expect(await shownText(page)).not.toContain('secret');
  await page.close();
  await handle.cancel();
  await stack.container.call('DELETE', `/jobs/${blocking}`);
  await expect(handle.result()).rejects.toThrow();
});

test('the Web UI shows phase and percent of an encode and cancels it', async () => {
  const handle = await stack.run('encode', {
    sourceUrl: stack.container.fileUrl('long.wav'),
    outputs: ['mp3_128', 'aac_128', 'opus_96', 'mp3_320'].map((format) => ({
      format,
      uploadUrl: stack.container.fileUrl(`running-${format}`),
    })),
  });
  await stack.untilStatus(handle, 'running encode', ({ phase, percent }) => phase === 'encode' && percent > 11);
  const page = await openMetadata(handle);
  await untilShown(page, /encode · attempt 1 · .*\d+ %/);
  await page.getByRole('button', { name: 'Request Cancellation' }).first().click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await stack.worker.until('free slot', async () => (await stack.container.health()).activeJobs === 0);
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  await page.close();
});
