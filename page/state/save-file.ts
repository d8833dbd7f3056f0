/** Time for the browser to begin the download. */
const keptMs = 60_000;

/** Saves a text as a file of this name. A plain link could not carry the token. */
export function saveFile(name: string, contentType: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: contentType }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs);
}
