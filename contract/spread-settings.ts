/** What a worker knows about spread runs, which workflow code cannot read. */
export interface SpreadSettings {
  /** `s3://…/` or `file:///…/`; undefined: the workers have no store for segments. */
  store?: string;
  mostContainers: number;
  /** A shorter source is not spread by `auto`. */
  leastSeconds: number;
  /** Containers that are able to work at present; undefined if the Temporal server does not tell. */
  containers?: number;
}

/** Defaults of SPREAD_MAX_CONTAINERS and SPREAD_MIN_SECONDS. */
export const defaultSpreadContainers = 16;
export const defaultSpreadSeconds = 300;

/** Segments per container by default: enough that the last ones end at about the same time. */
export const segmentsPerContainer = 3;

/** Default length of a segment of a film in seconds: the pictures before and after it cost less in a longer one. */
export const usualSegmentSeconds = { least: 60, most: 120 };

/** Id of a segment's step. */
export const segmentId = (index: number): string => `segment-${index}`;
/** Id of the second job of a slow segment. */
export const segmentCopyId = (index: number): string => `${segmentId(index)}b`;

/** Id of the step that encodes the sound beside films. */
export const soundId = 'sound';
/** Id of the second job of a slow step `sound`. */
export const soundCopyId = `${soundId}b`;

/** Id of the last step of a spread run. */
export const joinId = 'join';

/** Undefined for other steps. */
export function readSegmentId(stepId: string): { segment: number; isCopy: boolean } | undefined {
  const [, index, copy] = /^segment-(\d+)(b?)$/.exec(stepId) ?? [];
  return index === undefined ? undefined : { segment: Number(index), isCopy: copy === 'b' };
}

/** Name of the file of one film in a segment, or of one output's sound, below its prefix. */
export const segmentFileName = (film: number): string => `film-${film}.mp4`;

/** Beginning of the names of the files that a second job stores: two jobs must never write the same file. */
export const copyName = 'copy-';

/** Beginning of the URLs of a segment's files. The key makes it unique. */
export function segmentPrefix(store: string, key: string, index: number): string {
  return `${store}${key}-segment-${String(index).padStart(5, '0')}-`;
}

/** Name of the whole sound of an output, below its prefix. */
export const soundFileName = (file: number): string => `output-${file}`;

/** Beginning of the URLs of the files of the step `sound`. */
export const soundPrefix = (store: string, key: string): string => `${store}${key}-sound-`;
