import type { RunDetails } from '../../contract/server/run.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import type { SharedRun } from '../../contract/server/share.ts';

/** Facts of an output that its share link shows too. */
export type OutputFacts = SharedRun['outputs'][number];

/** A run whose results are shown. A shared run has no input, and only the facts of its outputs. */
export type ShownRun = Pick<RunDetails, 'runId' | 'input' | 'files' | 'archives'> & {
  id?: RunDetails['id'];
  result?: RunDetails['result'] | Pick<SharedRun, 'outputs'>;
};

/** An output file with the facts of its output. */
export interface ResultFile {
  file: RunFile;
  facts: OutputFacts | undefined;
}

export function resultFiles(run: ShownRun): ResultFile[] {
  return run.files.filter(({ kind }) => kind === 'output').map((file) => ({ file, facts: factsOf(run, file.index) }));
}

export function factsOf({ result }: ShownRun, index: number | undefined): OutputFacts | undefined {
  if (result === undefined || index === undefined) return undefined;
  if ('outputs' in result) return result.outputs[index];
  return 'encoded' in result && index === 0 ? result.encoded : undefined;
}

export function isPeaks({ facts }: ResultFile): boolean {
  return facts?.analysis === 'peaks';
}

export function isImage({ facts }: ResultFile, image: string): boolean {
  return facts?.image === image;
}

export function hasType({ file }: ResultFile, type: 'audio' | 'video' | 'image'): boolean {
  return file.contentType.startsWith(`${type}/`);
}

/** True for video files and streaming packages, which a video element plays. */
export function isFilm(result: ResultFile): boolean {
  return result.file.name === 'master.m3u8' || (hasType(result, 'video') && result.facts?.image === undefined);
}

/** True for files that players use and that are useless on their own. */
export function isPartOfPlayer({ facts }: ResultFile): boolean {
  return facts?.image === 'storyboard' || (facts?.files ?? []).some(isEntry);
}

/** True for the master playlist or manifest of a package. */
export function isEntry({ name }: { name: string }): boolean {
  return name === 'master.m3u8' || name === 'manifest.mpd';
}
