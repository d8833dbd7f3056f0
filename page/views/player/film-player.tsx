import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RunFile } from '../../../contract/server/run-file.ts';
import { laterTexts } from '../../later-texts.ts';
import { tell } from '../../state/notices.ts';
import { playStream } from '../../state/play-stream.ts';
import type { ChapterMark } from '../../words/chapters-of.ts';
import { formatClock } from '../../words/format.ts';
import { Chapters } from './chapters.tsx';
import { FilmCompare, type FilmSource } from './film-compare.tsx';
import { FilmStrip } from './film-strip.tsx';
import { type ShownTranscript, Transcript } from './transcript.tsx';
import { PlayButton } from './play-button.tsx';
import '../../style/player.css';
import '../../style/film.css';

interface Props {
  file: RunFile;
  /** Undefined if the server does not have the source. */
  source: FilmSource | undefined;
  poster: string | undefined;
  /** URL of the `storyboard.vtt`. */
  storyboard: string | undefined;
  chapters: readonly ChapterMark[];
  transcript: ShownTranscript | undefined;
  /** Start of the film in the source, in seconds. */
  beginsAt: number;
  onBroken: () => void;
}

/** A video player whose timeline previews frames. */
export function FilmPlayer({ file, source, poster, storyboard, chapters, transcript, beginsAt, onBroken }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const player = useRef<HTMLVideoElement>(null);
  const isPlaying = useSignal(false);
  const isMuted = useSignal(false);
  const isBroken = useSignal(false);
  const isCompared = useSignal(false);
  const atSeconds = useSignal(0);
  const lengthSeconds = useSignal(0);
  const giveUp = (): void => {
    // The link may have expired; reloading the run gives new ones.
    isBroken.value = true;
    onBroken();
  };
  useEffect(() => {
    isBroken.value = false;
    return player.current === null ? undefined : playStream(player.current, file, giveUp);
  }, [file.url]);
  useSignalEffect(() => {
    // FilmCompare decides which side is muted.
    if (player.current !== null && !isCompared.value) player.current.muted = isMuted.value;
  });
  const seek = (seconds: number): void => {
    if (player.current === null) return;
    // Before the duration is known, the browser stores the position as the start.
    player.current.currentTime = Math.min(Math.max(0, seconds), lengthSeconds.value || Infinity);
    atSeconds.value = player.current.currentTime;
  };
  const toggle = (): void => {
    if (player.current?.paused === true) player.current.play().catch(() => undefined);
    else player.current?.pause();
  };
  const toggleFull = (): void => {
    const change = document.fullscreenElement === null ? frame.current?.requestFullscreen() : document.exitFullscreen();
    change?.catch(() => undefined);
  };
  return (
    <div class="film" ref={frame}>
      <div class="film-picture">
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the output may have no captions */}
        <video
          ref={player}
          preload="metadata"
          playsInline
          {...(poster !== undefined && !isCompared.value && { poster })}
          aria-label={file.name}
          onClick={toggle}
          onLoadedMetadata={(event) => (lengthSeconds.value = event.currentTarget.duration)}
          onDurationChange={(event) => (lengthSeconds.value = event.currentTarget.duration)}
          onTimeUpdate={(event) => (atSeconds.value = event.currentTarget.currentTime)}
          onPlay={() => (isPlaying.value = true)}
          onPause={() => (isPlaying.value = false)}
          onError={giveUp}
        />
        {isCompared.value && source !== undefined && player.current !== null && (
          <FilmCompare
            film={player.current}
            source={source}
            isMuted={isMuted}
            onBroken={() => {
              isCompared.value = false;
              tell('problem', laterTexts.player.sourceBroken);
            }}
          />
        )}
      </div>
      <div class="deck">
        <PlayButton isPlaying={isPlaying.value} onClick={toggle} />
        <FilmStrip
          storyboard={storyboard}
          chapters={chapters}
          atSeconds={atSeconds}
          lengthSeconds={lengthSeconds}
          onSeek={seek}
        />
        <span class="clock">
          {formatClock(atSeconds.value)} <span class="quiet">/ {formatClock(lengthSeconds.value)}</span>
        </span>
        <span class="film-more">
          {source !== undefined && (
            <button
              type="button"
              aria-pressed={isCompared.value}
              onClick={() => (isCompared.value = !isCompared.value)}
            >
              {laterTexts.player.compare}
            </button>
          )}
          <button type="button" aria-pressed={isMuted.value} onClick={() => (isMuted.value = !isMuted.value)}>
            {laterTexts.player.mute}
          </button>
          <button type="button" onClick={toggleFull}>
            {laterTexts.player.full}
          </button>
        </span>
      </div>
      {isBroken.value && <p class="bad">{laterTexts.player.broken}</p>}
      <Chapters chapters={chapters} atSeconds={atSeconds} onSeek={seek} />
      {transcript !== undefined && <Transcript {...transcript} origin={beginsAt} atSeconds={atSeconds} onSeek={seek} />}
    </div>
  );
}
