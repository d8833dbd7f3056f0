import { signal } from '@preact/signals';
import type { RunDetails } from '../../contract/server/run.ts';

/** True once a file was chosen, or if the browser remembers an upload: only then upload code is loaded. */
export const hasFiles = signal(/"(tus::|holdfast-upload )/.test(JSON.stringify(localStorage)));

/** Uploads the files, and asks what to make of them. */
export async function takeFiles(files: Iterable<File>): Promise<void> {
  // The browser empties the list after the event.
  const kept = Array.from(files);
  const { askForFiles } = await import('./asked-sources.ts');
  hasFiles.value = true;
  await askForFiles(kept);
}

/** `earlier` is a run of the only URL, with whose choice the dialog begins. */
export async function takeUrls(urls: readonly string[], earlier?: RunDetails): Promise<void> {
  (await import('./asked-sources.ts')).askForUrls(urls, earlier);
}
