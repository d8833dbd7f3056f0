import type { RunDetails } from '../../contract/server/run.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';

/** An output file with the facts of its output. */
export interface ResultFile {
  file: RunFile;
  facts: EncodedOutput | undefined;
}

export function resultFiles({ files, result }: RunDetails): ResultFile[] {
  const factsOf = (index: number | undefined): EncodedOutput | undefined => {
    if (result === undefined || index === undefined) return undefined;
    if ('outputs' in result) return result.outputs[index];
    return 'encoded' in result && index === 0 ? result.encoded : undefined;
  };
  return files.filter(({ kind }) => kind === 'output').map((file) => ({ file, facts: factsOf(file.index) }));
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
