import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

type Files = Parameters<Locator['setInputFiles']>[0];

export function chooserOf(page: Page): Locator {
  return page.getByRole('dialog', { name: 'What do you want to make?' });
}

/** Starts runs with the results that are chosen in the dialog, or with these alone. */
export async function startChosen(page: Page, ...titles: readonly string[]): Promise<void> {
  const chooser = chooserOf(page);
  const start = chooser.getByRole('button', { name: /^Start/ });
  await start.waitFor();
  if (titles.length > 0) {
    const checked = chooser.getByRole('checkbox', { checked: true });
    const uncheckOne = async (): Promise<number> => {
      // What a container finds in the file may draw the list again during a click.
      if ((await checked.count()) > 0) await checked.first().click();
      return await checked.count();
    };
    await expect.poll(uncheckOne).toBe(0);
    const search = chooser.getByRole('searchbox', { name: 'Search presets' });
    for (const title of titles) {
      await search.fill(title);
      await chooser.locator('.result', { has: page.getByText(title, { exact: true }) }).click();
    }
  }
  await start.click();
  await chooser.waitFor({ state: 'hidden' });
}

/** Chooses files and starts runs of them. */
export async function startFiles(page: Page, files: Files, ...titles: readonly string[]): Promise<void> {
  await page.locator('.drop input[type=file]').setInputFiles(files);
  await startChosen(page, ...titles);
}

/** Expects that a finished upload without a choice outlives a reload, and that its file is not sent again. */
export async function expectKept(page: Page, file: string): Promise<void> {
  const upload = page.locator('.upload');
  const waiting = upload.getByText('Uploaded. Choose the results.');
  await waiting.waitFor();
  await page.reload();
  await waiting.waitFor();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (['PATCH', 'PUT'].includes(request.method())) sent.push(request.url());
  });
  await page.locator('.drop input[type=file]').setInputFiles(file);
  await chooserOf(page).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => upload.count()).toBe(1);
  await waiting.waitFor();
  expect(sent).toEqual([]);
}
