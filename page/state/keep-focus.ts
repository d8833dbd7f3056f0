/** What has the focus may go away, with a run's end or the view: the keyboard goes on from the view's beginning, and not from the page's. */
export function keepFocus(page: Element): void {
  let last: Element | null = null;
  addEventListener('focusin', () => (last = document.activeElement));
  new MutationObserver(() => {
    if (last?.isConnected === false && document.activeElement === document.body) {
      page.querySelector('main')?.focus({ preventScroll: true });
    }
  }).observe(page, { childList: true, subtree: true });
}
