import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';

/** Somebody who looks at the page. */
export class Visitor {
  readonly page: Page;
  /** What the browser complains of: a policy that was violated, a script that threw. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => this.complaints.push(dialog.message()));
    page.on('console', (message) => {
      // Of a line that a test has cut, and of answers that it wanted.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
      this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, url: string): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const visitor = new Visitor(await context.newPage());
    await visitor.page.goto(url);
    return visitor;
  }

  /** What axe finds against WCAG 2.2 AA, in either scheme. */
  async findings(): Promise<string[]> {
    const found: string[] = [];
    await this.page.evaluate(axe.source);
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const rules = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);
      const { violations } = await this.page.evaluate<axe.AxeResults>(`axe.run({ runOnly: ${rules} })`);
      for (const { id, nodes } of violations) {
        found.push(...nodes.map(({ html, failureSummary }) => `${colorScheme} ${id}: ${html} ${failureSummary}`));
      }
    }
    return found;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
