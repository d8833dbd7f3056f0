import { computed, type Signal, signal } from '@preact/signals';
import type { RunFile } from '../../contract/server/run-file.ts';
import type { Transcript } from '../../contract/transcript/transcript.ts';
import { HoldfastError } from '../../api-client/holdfast-error.ts';
import { holdfast, messageOf } from '../api/holdfast.ts';
import { transcriptTexts } from '../transcript-texts.ts';
import {
  correctLine,
  type Line,
  linesOfTranscript,
  type TranscriptFacts,
  transcriptOfLines,
} from '../words/transcript-lines.ts';
import { indexWords } from '../words/word-index.ts';

/** Files of a run that have its transcript. */
export interface TranscriptPlace {
  /** The run's id; undefined on the page of a share link, which cannot save. */
  id: string | undefined;
  runId: string;
  /** URL of the `transcript.json` that the run wrote; undefined if it no longer exists. */
  original: string | undefined;
  /** The latest corrected version. */
  correction: Pick<RunFile, 'url' | 'version'> | undefined;
}

/** What a person changed in a line; at least one of the two. */
export interface Correction {
  text?: string;
  speaker?: string;
}

export type TranscriptEdits = ReturnType<typeof editTranscript>;

/** Changes that are not saved outlive a visit to another view of the page. */
const kept = new Map<string, TranscriptEdits>();

/** The edits of a run's transcript that are not saved, or else its latest version. */
export function openTranscript(place: TranscriptPlace): TranscriptEdits {
  const before = kept.get(place.runId);
  if (before !== undefined && before.changes.peek() > 0) return before;
  const edits = editTranscript(place);
  // A transcript of hours takes megabytes; without changes, it can be loaded again.
  for (const [runId, { changes }] of kept) if (changes.peek() === 0) kept.delete(runId);
  kept.set(place.runId, edits);
  return edits;
}

function editTranscript(place: TranscriptPlace) {
  /** A signal for each line, so that a correction draws one line alone. */
  const lines = signal<readonly Signal<Line>[]>([]);
  const version = signal(0);
  /** Number of corrections since the last save. */
  const changes = signal(0);
  const problem = signal<string | undefined>(undefined);
  /** True if somebody else has saved a version since. */
  const isOutdated = signal(false);
  const index = computed(() => indexWords(lines.value.map(({ value }) => value)));
  let facts: TranscriptFacts = { duration: 0, complete: true, missing: [] };
  let isSaving = false;

  const load = async ({ original, correction }: Omit<TranscriptPlace, 'id'>): Promise<void> => {
    const url = correction?.url ?? original;
    try {
      const answer = url === undefined ? undefined : await fetch(url);
      if (answer?.ok !== true) throw new Error(transcriptTexts.unreadable);
      const read = (await answer.json()) as Transcript;
      facts = read;
      lines.value = linesOfTranscript(read).map((line) => signal(line));
      version.value = correction?.version ?? 0;
      [changes.value, isOutdated.value, problem.value] = [0, false, undefined];
    } catch {
      problem.value = transcriptTexts.unreadable;
    }
  };
  const transcript = (): Transcript =>
    transcriptOfLines(
      facts,
      lines.peek().map((line) => line.peek()),
    );
  void load(place);

  return {
    lines,
    index,
    version,
    changes,
    problem,
    isOutdated,
    transcript,

    /** Gives a line another text, and its speaker another name in all lines. */
    correct(at: number, { text, speaker }: Correction): void {
      const corrected = lines.peek()[at];
      if (corrected === undefined) return;
      if (text !== undefined) corrected.value = correctLine(corrected.peek(), text);
      const before = corrected.peek().speaker;
      if (speaker !== undefined) {
        for (const line of lines.peek()) {
          if (line.peek().speaker === before) line.value = { ...line.peek(), speaker };
        }
      }
      changes.value += 1;
    },

    /** True if a version was stored; false also if another save still runs, as after a double click. */
    async save(): Promise<boolean> {
      if (place.id === undefined || isSaving) return false;
      isSaving = true;
      const atStart = changes.peek();
      problem.value = undefined;
      try {
        const { text: _, ...request } = transcript();
        const saved = await holdfast.saveTranscript(place.id, request, version.peek());
        version.value = saved.version ?? 0;
        // More may have been corrected meanwhile.
        changes.value -= atStart;
        return true;
      } catch (error) {
        problem.value = messageOf(error);
        isOutdated.value = error instanceof HoldfastError && error.code === 'precondition_failed';
        return false;
      } finally {
        isSaving = false;
      }
    },

    /** Loads the latest version in place of all changes. */
    async discard(): Promise<void> {
      if (place.id === undefined) return;
      try {
        const { files } = await holdfast.get(place.id);
        await load({ ...place, correction: files.find(({ kind }) => kind === 'correction') });
      } catch (error) {
        problem.value = messageOf(error);
      }
    },
  };
}
