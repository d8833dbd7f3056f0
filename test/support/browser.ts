import { type Browser, chromium } from 'playwright-core';

/** Launches Debian's Chromium without a sandbox, which root requires, and without background requests. */
export async function launchBrowser(executablePath: string): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
      // Clicks of tests do not count as gestures of a user.
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}
