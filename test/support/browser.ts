import { type Browser, chromium, type Page } from 'playwright-core';

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

/**
 * Limits the page's uploads. Returns a function that lifts the limit, which only the session that has set it can do.
 */
export async function limitUpload(page: Page, bytesPerSecond: number): Promise<() => Promise<void>> {
  const network = await page.context().newCDPSession(page);
  const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { ...limits, uploadThroughput: bytesPerSecond });
  return async () => void (await network.send('Network.emulateNetworkConditions', limits));
}
