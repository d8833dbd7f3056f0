import { signal } from '@preact/signals';

export interface Notice {
  id: number;
  /** `said` is only read out by screen readers, because the page shows the change elsewhere. */
  kind: 'said' | 'done' | 'problem';
  text: string;
}

const shownMs = 5_000;

export const notices = signal<readonly Notice[]>([]);
let count = 0;

/** Shows a notice that screen readers read out. Problems stay until they are closed. */
export function tell(kind: Notice['kind'], text: string): void {
  count += 1;
  const notice = { id: count, kind, text };
  notices.value = [...notices.value, notice].slice(-4);
  if (kind !== 'problem') setTimeout(() => dismiss(notice.id), shownMs);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
