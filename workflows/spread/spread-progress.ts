import type { SegmentFile, SoundFile } from '../../contract/http/part.ts';
import type { SpreadSettings } from '../../contract/spread-settings.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import type { RetryState } from '../run/retry-state.ts';
import type { Planned } from './part-steps.ts';

export type PlannedSegments = Extract<Planned, { kind: 'plan' }>;

/** Progress of a spread run, which it passes to itself when it continues as new. */
export type SpreadProgress = { counts: AttemptCounts } & (
  | { kind: 'planning'; key: string; store: string; settings: SpreadSettings; state: RetryState }
  | {
      kind: 'segments';
      /** Identifies the jobs of the parts, and names their files. */
      key: string;
      store: string;
      settings: SpreadSettings;
      plan: PlannedSegments;
      /** Files by the index of their segment. */
      files: Record<number, SegmentFile[]>;
      /** States of the steps under way, by the index of their segment. */
      states: Record<number, RetryState>;
      /** Indices of the segments that have a second job, which may have stored files. Missing in older versions. */
      copied?: number[];
      /** Files of the step `sound`; empty: the join makes the sound. */
      sound?: SoundFile[];
      /** State of the step `sound`, if it is under way. */
      soundState?: RetryState;
      /** The step `sound` has a second job, which may have stored files. */
      isSoundCopied?: true;
    }
  | {
      kind: 'joining';
      key: string;
      store: string;
      plan: PlannedSegments;
      files: Record<number, SegmentFile[]>;
      copied?: number[];
      sound?: SoundFile[];
      isSoundCopied?: true;
      state: RetryState;
    }
  /** One container encodes the films. */
  | { kind: 'whole'; reason: string; state: RetryState }
);
