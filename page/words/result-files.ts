import type { RunDetails } from '../../contract/server/run.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';

/** A file that a run has made, with what was measured of it. */
export interface ResultFile {
  file: RunFile;
  facts: EncodedOutput | undefined;
}

export function resultFiles({ files, result }: RunDetails): ResultFile[] {
  const outputs = result !== undefined && 'outputs' in result ? result.outputs : [];
  return files
    .filter(({ kind }) => kind === 'output')
    .map((file) => ({ file, facts: file.index === undefined ? undefined : outputs[file.index] }));
}

export function isPeaks({ facts }: ResultFile): boolean {
  return facts?.analysis === 'peaks';
}

export function hasType({ file }: ResultFile, type: 'audio' | 'video' | 'image'): boolean {
  return file.contentType.startsWith(`${type}/`);
}
