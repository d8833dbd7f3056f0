import { signal } from '@preact/signals';

/** The time, once a second: waits and times that are left are shown by it. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (!document.hidden) nowMs.value = Date.now();
}, 1_000);
