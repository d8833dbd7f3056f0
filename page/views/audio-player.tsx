import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RunFile } from '../../contract/server/run-file.ts';
import { texts } from '../texts.ts';
import { formatClock } from '../words/format.ts';
import { presetTitle } from '../words/preset-words.ts';
import type { ResultFile } from '../words/result-files.ts';
import { Waveform } from './waveform.tsx';

interface Version {
  name: string;
  url: string;
  /** LUFS */
  loudness: number | null | undefined;
}

interface Props {
  source: RunFile | undefined;
  results: readonly ResultFile[];
  peaks: string | undefined;
  onBroken: () => void;
}

/** The results and their source, each an element of its own, so that changing between them goes on at the same place without a gap. */
export function AudioPlayer({ source, results, peaks, onBroken }: Props) {
  const versions = versionsOf(source, results);
  const players = useRef<(HTMLAudioElement | null)[]>([]);
  const shown = useSignal(versions.length > 1 && source !== undefined ? 1 : 0);
  const isPlaying = useSignal(false);
  const isBroken = useSignal(false);
  const atSeconds = useSignal(0);
  const lengthSeconds = useSignal(0);
  const current = (): HTMLAudioElement | null | undefined => players.current[shown.peek()];

  useEffect(() => {
    if (!isPlaying.value) return undefined;
    let frame = requestAnimationFrame(function show() {
      atSeconds.value = current()?.currentTime ?? 0;
      frame = requestAnimationFrame(show);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying.value]);

  const seek = (seconds: number): void => {
    const player = current();
    if (!player) return;
    player.currentTime = Math.min(Math.max(0, seconds), lengthSeconds.value);
    atSeconds.value = player.currentTime;
  };
  const begin = (player: HTMLAudioElement): void => {
    player.play().catch((error: unknown) => {
      // Who pauses before it has begun has broken nothing.
      if (!(error instanceof DOMException && error.name === 'AbortError')) isBroken.value = true;
    });
  };
  const toggle = (): void => {
    const player = current();
    if (player?.paused === true) begin(player);
    else player?.pause();
  };
  const change = (index: number): void => {
    const [before, next] = [current(), players.current[index]];
    if (!next || before === next) return;
    next.currentTime = before?.currentTime ?? 0;
    if (before?.paused === false) begin(next);
    before?.pause();
    shown.value = index;
  };
  return (
    <div class="player">
      {versions.length > 1 && (
        <fieldset class="filters versions">
          <legend class="quiet small">{texts.player.version}</legend>
          {versions.map(({ name }, index) => (
            <label key={name}>
              <input type="radio" name="version" checked={shown.value === index} onChange={() => change(index)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div class="deck">
        <button
          type="button"
          class="play main"
          onClick={toggle}
          aria-label={isPlaying.value ? texts.player.pause : texts.player.play}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={isPlaying.value ? 'M7 5h4v14H7zm6 0h4v14h-4z' : 'M8 5v14l11-7z'} />
          </svg>
        </button>
        <Waveform peaks={peaks} atSeconds={atSeconds} lengthSeconds={lengthSeconds} onSeek={seek} />
        <span class="clock">
          {formatClock(atSeconds.value)} <span class="quiet">/ {formatClock(lengthSeconds.value)}</span>
        </span>
      </div>
      {isBroken.value && <p class="bad">{texts.player.broken}</p>}
      {versions.map(({ name, url }, index) => (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- sound alone
        <audio
          key={name}
          preload="metadata"
          src={url}
          ref={(player) => {
            players.current[index] = player;
            if (player) player.volume = volumeOf(versions, index);
          }}
          onLoadedMetadata={(event) => {
            if (index === shown.peek()) lengthSeconds.value = event.currentTarget.duration;
          }}
          onPlay={() => (isPlaying.value = true)}
          onPause={() => (isPlaying.value = current()?.paused === false)}
          onError={() => {
            // Its link may have expired: the run has new ones.
            if (index === shown.peek()) isBroken.value = true;
            onBroken();
          }}
        />
      ))}
    </div>
  );
}

function versionsOf(source: RunFile | undefined, results: readonly ResultFile[]): Version[] {
  const measured = results.find(({ facts }) => facts?.loudness !== undefined)?.facts?.loudness;
  const made = results.map(({ file, facts }) => ({
    name: facts?.preset === undefined ? file.name : presetTitle(facts.preset),
    url: file.url,
    loudness: facts?.loudness?.integrated,
  }));
  const original = { name: texts.player.source, loudness: measured?.source.integrated };
  return source === undefined ? made : [{ ...original, url: source.url }, ...made];
}

/** The louder one always seems to be the better: all play as loud as the softest. */
function volumeOf(versions: readonly Version[], index: number): number {
  const known = versions.flatMap(({ loudness }) => (typeof loudness === 'number' ? [loudness] : []));
  const own = versions[index]?.loudness;
  if (typeof own !== 'number' || known.length < versions.length) return 1;
  return Math.min(1, 10 ** ((Math.min(...known) - own) / 20));
}
