import type { EncodePart, SegmentRange } from '../../contract/http/part.ts';
import { encodeResult } from '../fixtures/scripted-container.ts';

export const identity = { size: 1000, validator: 'one' };
export const sha256 = 'c'.repeat(64);
export const madeSound = {
  ...{ seconds: 50, isMended: false, segments: 1 },
  ...{ seams: { exact: 0, matched: 0 }, seamFrames: [] },
};

/** Result of a part that makes no output. */
export function partResult(part: object): object {
  return { ...encodeResult, outputs: [], identity, part };
}

/** What a container answers for a part of a film in these segments. */
export function resultOfPart(
  part: EncodePart | undefined,
  segments: readonly SegmentRange[],
  planned: object = {},
): object {
  switch (part?.kind) {
    case 'plan':
      return partResult({ kind: 'plan', segments, films: 1, ...planned });
    case 'sound':
      return partResult({ kind: 'sound', files: [{ name: 'output-0', size: 10, sha256, made: madeSound }] });
    case 'segment': {
      const files = [{ name: 'film-0.mp4', size: 10, sha256, frames: part.to - part.from }];
      return partResult({ kind: 'segment', files });
    }
    case 'join':
    case undefined:
      return { ...encodeResult, identity };
  }
}
