import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Lists visible controls that are lower than 44 px. A label is part of its control. */
const smallTargets = `Array.from(document.querySelectorAll('a, button, input, select, summary')).flatMap((control) => {
  const target = control.closest('.to-run') === null ? (control.closest('label') ?? control) : control.closest('.row');
  const { width, height } = target.getBoundingClientRect();
  const isShown = width > 1 && control.checkVisibility({ visibilityProperty: true });
  return isShown && height < 43.5 ? [control.outerHTML.slice(0, 120) + ' ' + height] : [];
})`;

/** A browser context with one page. */
export class Visitor {
  readonly page: Page;
  /** Errors of the browser: policy violations, exceptions and dialogs. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    // A wait that hangs ends before its test.
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => this.complaints.push(dialog.message()));
    page.on('console', (message) => {
      // Tests cause failed loads on purpose.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
      this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, url: string, device: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      // Without a graphics card, the browser draws endless animations on the processor.
      reducedMotion: 'reduce',
      ...device,
    });
    const visitor = new Visitor(await context.newPage());
    await visitor.page.goto(url);
    return visitor;
  }

  /** Violations of WCAG 2.2 AA that axe finds in the light and dark schemes. */
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

  /** Controls that a finger may miss. */
  async smallTargets(): Promise<string[]> {
    return await this.page.evaluate<string[]>(smallTargets);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
