import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChapterMark } from '../../words/chapters-of.ts';
import { formatClock } from '../../words/format.ts';
import { parseStoryboard, type Tile, tileAt } from '../../words/storyboard.ts';
import { TimeSlider } from './time-slider.tsx';

interface Props {
  storyboard: string | undefined;
  chapters: readonly ChapterMark[];
  atSeconds: Signal<number>;
  lengthSeconds: Signal<number>;
  onSeek: (seconds: number) => void;
}

/** The timeline of a film; it previews the frame under the pointer. */
export function FilmStrip({ storyboard, chapters, atSeconds, lengthSeconds, onSeek }: Props) {
  const tiles = useSignal<readonly Tile[]>([]);
  /** Seconds under the pointer. */
  const pointed = useSignal<number | undefined>(undefined);
  useEffect(() => {
    if (storyboard === undefined) return;
    fetch(storyboard)
      .then(async (answer) => (tiles.value = answer.ok ? parseStoryboard(await answer.text()) : []))
      .catch(() => undefined);
  }, [storyboard]);
  const length = Math.max(lengthSeconds.value, 0.001);
  const partOf = (seconds: number): string => `${Math.min(100, (100 * seconds) / length)}%`;
  return (
    <TimeSlider
      class="film-strip"
      atSeconds={atSeconds}
      lengthSeconds={lengthSeconds}
      onSeek={onSeek}
      onPoint={(seconds) => (pointed.value = seconds)}
    >
      <span class="film-track">
        <span class="film-played" style={{ width: partOf(atSeconds.value) }} />
        {chapters.map(({ start }) =>
          start > 0 ? <span key={start} class="film-mark" style={{ left: partOf(start) }} /> : null,
        )}
      </span>
      {pointed.value !== undefined && (
        <Preview
          tile={tileAt(tiles.value, pointed.value)}
          seconds={pointed.value}
          place={partOf(pointed.value)}
          storyboard={storyboard}
        />
      )}
    </TimeSlider>
  );
}

function Preview(props: { tile: Tile | undefined; seconds: number; place: string; storyboard: string | undefined }) {
  const { tile, seconds, place, storyboard = '' } = props;
  return (
    <span class="film-preview" style={{ left: place }} aria-hidden="true">
      {tile !== undefined && (
        <span
          class="film-tile"
          style={{
            width: `${tile.width}px`,
            height: `${tile.height}px`,
            backgroundImage: `url("${new URL(tile.sheet, new URL(storyboard, location.href)).href}")`,
            backgroundPosition: `-${tile.x}px -${tile.y}px`,
          }}
        />
      )}
      {formatClock(seconds)}
    </span>
  );
}
