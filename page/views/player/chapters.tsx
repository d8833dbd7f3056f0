import type { Signal } from '@preact/signals';
import { laterTexts } from '../../later-texts.ts';
import type { ChapterMark } from '../../words/chapters-of.ts';
import { formatClock } from '../../words/format.ts';

interface Props {
  chapters: readonly ChapterMark[];
  atSeconds: Signal<number>;
  onSeek: (seconds: number) => void;
}

export function Chapters({ chapters, atSeconds, onSeek }: Props) {
  if (chapters.length === 0) return null;
  const current = chapters.findLastIndex(({ start }) => start <= atSeconds.value + 0.05);
  return (
    <section class="jumps" aria-label={laterTexts.player.chapters}>
      <h3>{laterTexts.player.chapters}</h3>
      <ol>
        {chapters.map(({ start, title }, index) => (
          <li key={start}>
            <button type="button" aria-current={index === current} onClick={() => onSeek(start)}>
              <span class="quiet small">{formatClock(start)}</span> {title ?? laterTexts.player.chapter(index + 1)}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
