import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { laterTexts } from '../later-texts.ts';
import { formatClock } from '../words/format.ts';

interface Segment {
  start: number;
  end: number;
  text: string;
}

interface Props {
  url: string;
  atSeconds: Signal<number>;
  onSeek: (seconds: number) => void;
}

/** The transcript. It follows playback; a click on a line seeks to it. */
export function TranscriptView({ url, atSeconds, onSeek }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const segments = useSignal<readonly Segment[]>([]);
  const current = useSignal(-1);
  useEffect(() => {
    fetch(url)
      .then(
        async (answer) =>
          (segments.value = answer.ok ? ((await answer.json()) as { segments: Segment[] }).segments : []),
      )
      .catch(() => undefined);
  }, [url]);
  useSignalEffect(() => {
    current.value = segments.value.findLastIndex(({ start }) => start <= atSeconds.value + 0.05);
  });
  useSignalEffect(() => {
    const line = list.current?.children[current.value];
    if (list.current === null || !(line instanceof HTMLElement)) return;
    // `scrollIntoView` would also scroll the page.
    list.current.scrollTop = line.offsetTop - list.current.clientHeight / 2 + line.clientHeight / 2;
  });
  if (segments.value.length === 0) return null;
  return (
    <section class="jumps" aria-label={laterTexts.player.transcript}>
      <h3>{laterTexts.player.transcript}</h3>
      <ol ref={list} class="transcript" tabIndex={-1}>
        {segments.value.map(({ start, text }, index) => (
          <li key={start}>
            <button type="button" aria-current={index === current.value} onClick={() => onSeek(start)}>
              <span class="quiet small">{formatClock(start)}</span> {text}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
