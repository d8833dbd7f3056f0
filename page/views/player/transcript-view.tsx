import { type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { can } from '../../state/session.ts';
import { openTranscript, type TranscriptPlace } from '../../state/transcript-edits.ts';
import { transcriptTexts } from '../../transcript-texts.ts';
import { findWords, wordAt } from '../../words/word-index.ts';
import { wordByKey } from '../../words/word-by-key.ts';
import { TranscriptActions } from './transcript-actions.tsx';
import { TranscriptLine } from './transcript-line.tsx';
import { TranscriptSearch } from './transcript-search.tsx';
import '../../style/transcript.css';

export interface TranscriptProps {
  place: TranscriptPlace;
  /** Layout of captions in the run's input. */
  captions: unknown;
  atSeconds: Signal<number>;
  /** Start of the time line in the source, in seconds. */
  origin: number;
  onSeek: (seconds: number) => void;
}

/** Tolerance for browsers that round positions. */
const toleranceSeconds = 0.05;

/** The transcript. It follows playback, seeks to words, and can be searched, corrected and exported. */
export function TranscriptView({ place, captions, atSeconds, origin, onSeek }: TranscriptProps) {
  const edits = useMemo(() => openTranscript(place), [place.runId, place.id ?? place.original]);
  const list = useRef<HTMLOListElement>(null);
  const wantedHit = useSignal(0);
  const query = useSignal('');
  /** Counts forms that have been replaced by their words, which have no marks yet. */
  const drawn = useSignal(0);
  const hits = useComputed(() => findWords(edits.index.value, query.value));
  /** A correction may remove hits. */
  const hit = useComputed(() => Math.max(0, Math.min(wantedHit.value, hits.value.length - 1)));
  const spoken = useComputed(() => wordAt(edits.index.value, atSeconds.value + origin + toleranceSeconds));
  const mayCorrect = place.id !== undefined && can('run');

  /** Elements of words. Words of a line that is being corrected have none. */
  const wordElements = (words: readonly number[]): HTMLElement[] => {
    const { lines, firsts } = edits.index.peek();
    const ofLines = new Map<number, ArrayLike<HTMLElement>>();
    return words.flatMap((word) => {
      const line = lines[word] ?? -1;
      const ofLine = ofLines.get(line) ?? list.current?.children[line]?.querySelectorAll('.said > span') ?? [];
      ofLines.set(line, ofLine);
      return ofLine[word - (firsts[line] ?? 0)] ?? [];
    });
  };
  const wordElement = (word: number): HTMLElement | undefined => wordElements([word])[0];
  const indexOfWord = (element: Element): number => {
    const row = element.closest('li');
    const line = list.current === null || row === null ? -1 : [...list.current.children].indexOf(row);
    const at = row === null ? -1 : [...row.querySelectorAll('.said > span')].indexOf(element);
    return (edits.index.peek().firsts[line] ?? 0) + at;
  };
  /** The keyboard reaches one word and the button of its line; arrow keys move on from there. */
  const stopAt = (element: HTMLElement | undefined): void => {
    if (element === undefined) return;
    for (const stop of list.current?.querySelectorAll<HTMLElement>('[tabindex="0"]:not(.removed *)') ?? []) {
      stop.tabIndex = -1;
    }
    element.tabIndex = 0;
    const edit = element.closest('li')?.querySelector<HTMLElement>('.edit');
    if (edit) edit.tabIndex = 0;
  };
  const show = (element: HTMLElement | undefined): void => {
    const row = element?.closest('li');
    if (list.current === null || !row || list.current.querySelector('form') !== null) return;
    // `scrollIntoView` would also scroll the page.
    list.current.scrollTop = row.offsetTop - list.current.clientHeight / 2 + row.clientHeight / 2;
  };
  const seekTo = (word: number): void => {
    const start = edits.index.peek().starts[word];
    if (start !== undefined) onSeek(start - origin);
  };

  // Marks are set on the elements, because drawing all words again would take too long.
  useEffect(
    () => mark(wordElements([spoken.value]), 'aria-current', 'true'),
    [spoken.value, edits.index.value, drawn.value],
  );
  useEffect(() => show(wordElement(spoken.peek())), [edits.index.value.lines[spoken.value]]);
  useEffect(() => {
    const found = hits.value.flatMap(wordsOfHit);
    return mark(wordElements(found), 'data-hit', '');
  }, [hits.value, drawn.value]);
  useEffect(() => {
    const shown = hits.value[hit.value];
    return shown && mark(wordElements(wordsOfHit(shown)), 'data-shown', '');
  }, [hits.value, hit.value, drawn.value]);
  useEffect(() => {
    if (list.current?.querySelector('[tabindex="0"]:not(.removed *)') === null) stopAt(wordElement(0));
  }, [edits.index.value, drawn.value]);
  useSignalEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    if (edits.changes.value === 0) return undefined;
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const { target: element, key } = event;
    if (!(element instanceof HTMLElement) || element.parentElement?.className !== 'said') return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const word = indexOfWord(element);
    if (key === 'Enter' || key === ' ') seekTo(word);
    else if (key === 'e' || key === 'F2') element.closest('li')?.querySelector<HTMLElement>('.edit')?.click();
    else {
      const next = wordByKey(key, word, edits.index.peek());
      if (next === undefined) return;
      wordElement(next)?.focus();
    }
    event.preventDefault();
  };
  const showHit = (at: number): void => {
    wantedHit.value = at;
    const element = wordElement(hits.peek()[at]?.[0] ?? -1);
    stopAt(element);
    show(element);
  };

  /** Keeps corrections whose forms are still open. */
  const keepForms = (): void => list.current?.querySelectorAll('form').forEach((form) => form.requestSubmit());
  const rows = useMemo(
    () =>
      edits.lines.value.map((line, at) => (
        <TranscriptLine key={at} line={line} at={at} edits={edits} mayCorrect={mayCorrect} drawn={drawn} />
      )),
    [edits.lines.value, mayCorrect],
  );
  if (edits.lines.value.length === 0) {
    // An export would be an empty file.
    return edits.problem.value === undefined ? null : (
      <p class="bad" role="alert">
        {edits.problem.value}
      </p>
    );
  }
  return (
    <section class="transcript-card" aria-labelledby="transcript">
      <h3 id="transcript">{transcriptTexts.title}</h3>
      <TranscriptSearch query={query} hits={hits} hit={hit} onShow={showHit} />
      <p class="quiet small">
        {transcriptTexts.readKeys} {mayCorrect && transcriptTexts.editKeys}
      </p>
      <ol
        ref={list}
        class="transcript"
        onKeyDown={onKeyDown}
        onClick={({ target }) => {
          // A person who selects text does not want to seek.
          if (getSelection()?.isCollapsed === false) return;
          if (target instanceof HTMLElement && target.parentElement?.className === 'said') seekTo(indexOfWord(target));
        }}
        onFocusIn={({ target }) => {
          if (target instanceof HTMLElement && target.parentElement?.className === 'said') stopAt(target);
        }}
      >
        {rows}
      </ol>
      <TranscriptActions edits={edits} mayCorrect={mayCorrect} captions={captions} onBefore={keepForms} />
    </section>
  );
}

function wordsOfHit([first, last]: readonly [number, number]): number[] {
  return Array.from({ length: last - first + 1 }, (_, more) => first + more);
}

/** Sets an attribute, and returns the function that removes it. */
function mark(elements: readonly HTMLElement[], name: string, value: string): () => void {
  for (const element of elements) element.setAttribute(name, value);
  return () => elements.forEach((element) => element.removeAttribute(name));
}
