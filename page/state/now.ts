import { signal } from '@preact/signals';

/** Current time, updated once a second while the page is visible. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, 1_000);
