import { signal } from '@preact/signals';

export interface Notice {
  id: number;
  /** `said`: heard by screen readers alone, where the page shows it in another way. */
  kind: 'said' | 'done' | 'problem';
  text: string;
}

const shownMs = 5_000;

export const notices = signal<readonly Notice[]>([]);
let count = 0;

/** A sentence at the edge of the page, read out by screen readers. Problems stay until somebody closes them. */
export function tell(kind: Notice['kind'], text: string): void {
  count += 1;
  const notice = { id: count, kind, text };
  notices.value = [...notices.value, notice].slice(-4);
  if (kind !== 'problem') setTimeout(() => dismiss(notice.id), shownMs);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
