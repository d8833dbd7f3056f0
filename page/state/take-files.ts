import { signal } from '@preact/signals';
import { chosenPreset } from './chosen-preset.ts';

/** True once a file was chosen, or if the browser remembers an upload: only then upload code is loaded. */
export const hasFiles = signal(/"(tus::|holdfast-upload )/.test(JSON.stringify(localStorage)));

export async function takeFiles(files: Iterable<File>): Promise<void> {
  const preset = chosenPreset();
  if (preset === undefined) return;
  // The browser empties the list after the event.
  const kept = Array.from(files);
  const { addFiles } = await import('./uploads.ts');
  hasFiles.value = true;
  addFiles(kept, preset);
}
