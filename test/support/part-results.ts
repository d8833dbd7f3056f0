import type { EncodePart, SegmentRange } from '../../contract/http/part.ts';
import { encodeResult } from '../fixtures/scripted-container.ts';

export const identity = { size: 1000, validator: 'one' };
export const sha256 = 'c'.repeat(64);

/** Result of a part that makes no output. */
export function partResult(part: object): object {
  return { ...encodeResult, outputs: [], identity, part };
}

/** What a container answers for a part of a film in these segments. */
export function resultOfPart(part: EncodePart | undefined, segments: readonly SegmentRange[]): object {
  switch (part?.kind) {
    case 'plan':
      return partResult({ kind: 'plan', segments, films: 1 });
    case 'segment': {
      const files = [{ name: 'film-0.mp4', size: 10, sha256, frames: part.to - part.from }];
      return partResult({ kind: 'segment', files });
    }
    case 'join':
    case undefined:
      return { ...encodeResult, identity };
  }
}
