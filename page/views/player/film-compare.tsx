import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { laterTexts } from '../../later-texts.ts';
import { followFilm } from '../../state/follow-film.ts';
import { matchedVolume } from '../../words/matched-volume.ts';

export interface FilmSource {
  url: string;
  /** Start of the film in the source, in seconds. */
  beginsAt: number;
  /** LUFS of source and film, where measured. */
  loudness: readonly (number | null | undefined)[];
}

interface Props {
  film: HTMLVideoElement;
  source: FilmSource;
  isMuted: Signal<boolean>;
  onBroken: () => void;
}

/** Shows the source over the film, left of a divider. You hear the side that fills more of the frame. */
export function FilmCompare({ film, source, isMuted, onBroken }: Props) {
  const overlay = useRef<HTMLVideoElement>(null);
  const percent = useSignal(50);
  useEffect(
    () => (overlay.current === null ? undefined : followFilm(film, overlay.current, source.beginsAt)),
    [film, source.url, source.beginsAt],
  );
  useSignalEffect(() => {
    const hearsSource = percent.value > 50;
    if (overlay.current !== null) {
      overlay.current.muted = isMuted.value || !hearsSource;
      overlay.current.volume = matchedVolume(source.loudness, 0);
    }
    film.muted = isMuted.value || hearsSource;
    film.volume = matchedVolume(source.loudness, 1);
  });
  useEffect(() => () => void (film.volume = 1), [film]);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the source may have no captions */}
      <video
        ref={overlay}
        class="film-source"
        preload="auto"
        playsInline
        src={source.url}
        aria-label={laterTexts.player.source}
        style={{ clipPath: `inset(0 ${100 - percent.value}% 0 0)` }}
        onError={onBroken}
      />
      <input
        class="film-wipe"
        type="range"
        value={percent.value}
        aria-label={laterTexts.player.wipe}
        aria-valuetext={laterTexts.player.wiped(percent.value)}
        onInput={(event) => (percent.value = event.currentTarget.valueAsNumber)}
      />
      <span class="film-side" aria-hidden="true">
        {laterTexts.player.source}
      </span>
      <span class="film-side made" aria-hidden="true">
        {laterTexts.player.result}
      </span>
    </>
  );
}
