import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { toolPath } from '../support/tools.ts';
import { Visitor } from './visitor.ts';

const chromiumPath = await toolPath('CHROMIUM_PATH');

/** Opens pages in one browser. Closes them after each test and fails the test if the browser reported errors. */
export function useVisitors(): (url: string, device?: BrowserContextOptions) => Promise<Visitor> {
  let browser: Browser;
  const visitors: Visitor[] = [];

  beforeAll(async () => {
    browser = await launchBrowser(chromiumPath);
  });

  afterEach(async () => {
    const opened = visitors.splice(0);
    for (const visitor of opened) await visitor.close();
    expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  afterAll(() => browser.close());

  return async (url, device) => {
    const visitor = await Visitor.open(browser, url, device);
    visitors.push(visitor);
    return visitor;
  };
}
