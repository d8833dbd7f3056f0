import { signal } from '@preact/signals';
import type { SourceKind } from '../words/source-kind.ts';

const place = 'holdfast-results';

type Names = Readonly<Record<SourceKind, readonly string[]>>;

/** Names of the presets that were chosen last for each kind of source. */
export const remembered = signal<Names>({ sound: ['podcast-mp3-stereo'], film: ['web-h264-1080'], ...read() });

export function remember(kind: SourceKind, names: readonly string[]): void {
  remembered.value = { ...remembered.value, [kind]: names };
  try {
    localStorage.setItem(place, JSON.stringify(remembered.value));
  } catch {
    // If the storage is full, the choice is remembered until the page is closed.
  }
}

function read(): Partial<Names> {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? '{}') as Record<string, unknown>;
    return Object.fromEntries(Object.entries(kept).filter(([, names]) => Array.isArray(names)));
  } catch {
    return {};
  }
}
