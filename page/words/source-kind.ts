/** What a source shows: `film` has pictures. */
export type SourceKind = 'sound' | 'film';

const filmEndings = /\.(?:3gp|avi|dv|flv|gif|m2ts|m4v|mkv|mov|mp4|mpe?g|mts|mxf|ogv|ts|vob|webm|wmv)$/i;

/** The kind by the media type that the browser states, or by the file's name. */
export function kindOfName(name: string, type = ''): SourceKind {
  if (type.startsWith('audio/')) return 'sound';
  return type.startsWith('video/') || filmEndings.test(name) ? 'film' : 'sound';
}
