import { tell } from '../../state/notices.ts';
import { orTell } from '../../state/or-tell.ts';
import type { TranscriptEdits } from '../../state/transcript-edits.ts';
import { transcriptTexts } from '../../transcript-texts.ts';

interface Props {
  edits: TranscriptEdits;
  mayCorrect: boolean;
  captions: unknown;
  /** Called before the transcript is saved or exported. */
  onBefore: () => void;
}

type Kind = keyof typeof transcriptTexts.kinds;

/** Saves and exports the transcript, and shows its version. */
export function TranscriptActions({ edits, mayCorrect, captions, onBefore }: Props) {
  const { version, changes, problem, isOutdated } = edits;
  const save = async (): Promise<void> => {
    onBefore();
    if (changes.peek() === 0) tell('done', transcriptTexts.nothingToSave);
    else if (await edits.save()) tell('done', transcriptTexts.saved(version.peek()));
  };
  const exportAs = async (kind: Kind): Promise<void> => {
    onBefore();
    await orTell(async () => {
      const { exportTranscript } = await import('../../state/export-transcript.ts');
      exportTranscript(edits.transcript(), kind, captions);
    });
  };
  return (
    <>
      <div role="alert">{problem.value !== undefined && <p class="bad">{problem.value}</p>}</div>
      <div class="actions">
        {mayCorrect && (
          <button type="button" class="main" onClick={() => void save()}>
            {transcriptTexts.save}
          </button>
        )}
        {changes.value > 0 && (
          <button type="button" onClick={() => void edits.discard()}>
            {isOutdated.value ? transcriptTexts.load : transcriptTexts.discard}
          </button>
        )}
        <span class="quiet small">
          {version.value === 0 ? transcriptTexts.original : transcriptTexts.version(version.value)}
          {changes.value > 0 && `, ${transcriptTexts.changed(changes.value)}`}
        </span>
        <span class="exports" role="group" aria-labelledby="transcript-export">
          <span id="transcript-export" class="quiet small">
            {transcriptTexts.export}
          </span>
          {Object.entries(transcriptTexts.kinds).map(([kind, name]) => (
            <button type="button" class="small" key={kind} onClick={() => void exportAs(kind as Kind)}>
              {name}
            </button>
          ))}
        </span>
      </div>
    </>
  );
}
