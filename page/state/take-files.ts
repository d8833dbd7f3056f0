import { signal } from '@preact/signals';
import { chosenPreset } from './chosen-preset.ts';

/** Whether uploads are to be shown. What does them is loaded with the first file. */
export const hasFiles = signal(false);

export async function takeFiles(files: Iterable<File>): Promise<void> {
  const preset = chosenPreset();
  if (preset === undefined) return;
  // A list of a field or a drop is empty after the event.
  const kept = Array.from(files);
  const { addFiles } = await import('./uploads.ts');
  hasFiles.value = true;
  addFiles(kept, preset);
}
