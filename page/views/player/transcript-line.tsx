import { type Signal, signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { transcriptTexts } from '../../transcript-texts.ts';
import type { Correction, TranscriptEdits } from '../../state/transcript-edits.ts';
import { formatClock } from '../../words/format.ts';
import type { Line } from '../../words/transcript-lines.ts';

/** Longest text that the server stores for a segment. */
const mostCharacters = 100_000;
const mostSpeakerCharacters = 100;

interface Props {
  line: Signal<Line>;
  /** Index of the line. */
  at: number;
  edits: TranscriptEdits;
  mayCorrect: boolean;
  /** Grows when the words of a line are shown again. */
  drawn: Signal<number>;
}

/** A segment with its words, or the form that corrects it. */
export function TranscriptLine({ line, at, edits, mayCorrect, drawn }: Props) {
  // A loaded version has other lines, so forms of the version before are closed.
  const isEdited = useMemo(() => signal(false), [line]);
  const row = useRef<HTMLLIElement>(null);
  /** True if the form that is removed has the focus. */
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (hadFocus.current) row.current?.querySelector<HTMLElement>('.said > span, .edit')?.focus();
    hadFocus.current = false;
  }, [isEdited.value]);
  const { start, speaker, words } = line.value;
  const clock = formatClock(start);
  return (
    <li ref={row} class={words.length === 0 ? 'removed' : undefined}>
      <span class="quiet small">{clock}</span>
      {isEdited.value ? (
        <CorrectionForm
          line={line.peek()}
          onEnd={(correction) => {
            if (correction !== undefined) edits.correct(at, correction);
            hadFocus.current = row.current?.contains(document.activeElement) === true;
            isEdited.value = false;
            drawn.value += 1;
          }}
        />
      ) : (
        <>
          <p class="said" dir="auto">
            {speaker !== undefined && <strong>{speaker}: </strong>}
            {words.map(({ text }, index) => (
              <Word key={index} text={text} />
            ))}
            {words.length === 0 && <em class="quiet">{transcriptTexts.removed}</em>}
          </p>
          {mayCorrect && (
            <button
              type="button"
              class="plain edit"
              tabIndex={words.length === 0 ? 0 : -1}
              aria-label={transcriptTexts.edit(clock)}
              title={transcriptTexts.edit(clock)}
              onClick={() => (isEdited.value = true)}
            >
              ✎
            </button>
          )}
        </>
      )}
    </li>
  );
}

/** A word, which the list of lines makes a place for the focus. */
function Word({ text }: { text: string }) {
  const word = text.trimEnd();
  return (
    <>
      <span tabIndex={-1}>{word}</span>
      {text.slice(word.length)}
    </>
  );
}

function CorrectionForm({ line, onEnd }: { line: Line; onEnd: (correction: Correction | undefined) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const clock = formatClock(line.start);
  const before = line.words
    .map(({ text }) => text)
    .join('')
    .trim();
  const said = useSignal(before);
  // Another form may rename the speaker while this one is open.
  const opened = useRef(line.speaker).current;
  const speaker = useSignal(opened);
  useLayoutEffect(() => form.current?.querySelector('textarea')?.focus(), []);
  const keep = (): void => {
    const named = speaker.value?.trim();
    const isRenamed = named !== undefined && named !== '' && named !== opened;
    if (said.value === before && !isRenamed) return onEnd(undefined);
    onEnd({ ...(said.value !== before && { text: said.value }), ...(isRenamed && { speaker: named }) });
  };
  return (
    <form
      ref={form}
      class="correction"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === 'Escape') onEnd(undefined);
        else if (event.key === 'Enter' && event.target instanceof HTMLTextAreaElement) {
          event.preventDefault();
          keep();
        }
      }}
    >
      {line.speaker !== undefined && (
        <label class="field">
          <span>{transcriptTexts.speaker}</span>
          <input
            value={speaker.value}
            maxLength={mostSpeakerCharacters}
            onInput={(event) => (speaker.value = event.currentTarget.value)}
          />
        </label>
      )}
      <textarea
        aria-label={transcriptTexts.textAt(clock)}
        dir="auto"
        rows={3}
        maxLength={mostCharacters}
        value={said.value}
        onInput={(event) => (said.value = event.currentTarget.value)}
      />
      <span class="actions">
        <button type="submit" class="main small">
          {transcriptTexts.keep}
        </button>
        <button type="button" class="small" onClick={() => onEnd(undefined)}>
          {transcriptTexts.undo}
        </button>
      </span>
    </form>
  );
}
