import type { ReadonlySignal, Signal } from '@preact/signals';
import { transcriptTexts } from '../../transcript-texts.ts';

interface Props {
  query: Signal<string>;
  hits: ReadonlySignal<readonly unknown[]>;
  /** Index of the hit that is shown. */
  hit: ReadonlySignal<number>;
  onShow: (hit: number) => void;
}

export function TranscriptSearch({ query, hits, hit, onShow }: Props) {
  const count = hits.value.length;
  const step = (by: 1 | -1): void => {
    if (count > 0) onShow((hit.peek() + by + count) % count);
  };
  return (
    <search>
      <input
        type="search"
        aria-label={transcriptTexts.search}
        placeholder={transcriptTexts.search}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          onShow(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing) step(event.shiftKey ? -1 : 1);
        }}
      />
      <button type="button" aria-label={transcriptTexts.previous} onClick={() => step(-1)}>
        ↑
      </button>
      <button type="button" aria-label={transcriptTexts.next} onClick={() => step(1)}>
        ↓
      </button>
      <span class="quiet small" role="status">
        {query.value.trim() !== '' && transcriptTexts.hits(hit.value + 1, count)}
      </span>
    </search>
  );
}
