/** Playlists and manifests name other files: whoever reads one must find those there. */
const manifestTypes: ReadonlySet<string> = new Set([
  'application/vnd.apple.mpegurl',
  'application/x-mpegurl',
  'audio/mpegurl',
  'application/dash+xml',
  // Of a storyboard, it names sheets of pictures.
  'text/vtt',
]);

interface Typed {
  file: { contentType: string };
}

function isManifest({ file: { contentType } }: Typed): boolean {
  return manifestTypes.has(contentType.split(';')[0]?.trim().toLowerCase() ?? '');
}

/** The files of one output in the order of their upload: those of a step side by side, a step when the one before is done. */
export function deliverySteps<Item extends Typed>(items: readonly Item[]): Item[][] {
  const media = items.filter((item) => !isManifest(item));
  // One after the other as they stand: the one that names all others stands last.
  const manifests = items.filter(isManifest).map((item) => [item]);
  return media.length === 0 ? manifests : [media, ...manifests];
}
