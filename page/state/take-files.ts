import { signal } from '@preact/signals';

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

export async function takeUrls(urls: readonly string[]): Promise<void> {
  (await import('./asked-sources.ts')).askForUrls(urls);
}
