/** Where what had the focus goes away: the keyboard goes on from the beginning of the view, and not from that of the page. */
export function focusView(): void {
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
