import type { Locator, Page } from 'playwright-core';

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
    for (const box of await chooser.getByRole('checkbox', { checked: true }).all()) await box.uncheck();
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
