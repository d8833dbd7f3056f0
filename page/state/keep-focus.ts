/** Moves the focus to the view when the focused element disappears, so that the keyboard does not start over at the page's top. */
export function keepFocus(page: Element): void {
  let last: Element | null = null;
  addEventListener('focusin', () => (last = document.activeElement));
  new MutationObserver(() => {
    if (last?.isConnected === false && document.activeElement === document.body) {
      page.querySelector('main')?.focus({ preventScroll: true });
    }
  }).observe(page, { childList: true, subtree: true });
}
