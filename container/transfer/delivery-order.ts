/** Playlists, manifests and the list of chunks name other files, which a reader must find. */
const manifestTypes: ReadonlySet<string> = new Set([
  'application/vnd.apple.mpegurl',
  'application/x-mpegurl',
  'audio/mpegurl',
  'application/dash+xml',
  // A storyboard's VTT file names sheets of pictures.
  'text/vtt',
  // The list of chunks; any other output of this type is a single file.
  'application/json',
]);

interface Typed {
  file: { contentType: string };
}

function isManifest({ file: { contentType } }: Typed): boolean {
  return manifestTypes.has(contentType.split(';')[0]?.trim().toLowerCase() ?? '');
}

/**
 * Groups the files of one output into steps. The files of a step are uploaded in parallel, and a step waits for the one
 * before.
 */
export function deliverySteps<Item extends Typed>(items: readonly Item[]): Item[][] {
  const media = items.filter((item) => !isManifest(item));
  // Manifests go one by one in their order: the last one names all others.
  const manifests = items.filter(isManifest).map((item) => [item]);
  return media.length === 0 ? manifests : [media, ...manifests];
}
