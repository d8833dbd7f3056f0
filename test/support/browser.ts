import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium. As root it has no sandbox; the rest keeps it from calling home. */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
      // A click of a test is none of a person.
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}
