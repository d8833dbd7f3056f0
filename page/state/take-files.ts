import { signal } from '@preact/signals';
import { chosenPreset } from './chosen-preset.ts';

/** True once a file was chosen: upload code is loaded with the first file. */
export const hasFiles = signal(false);

export async function takeFiles(files: Iterable<File>): Promise<void> {
  const preset = chosenPreset();
  if (preset === undefined) return;
  // The browser empties the list after the event.
  const kept = Array.from(files);
  const { addFiles } = await import('./uploads.ts');
  hasFiles.value = true;
  addFiles(kept, preset);
}
