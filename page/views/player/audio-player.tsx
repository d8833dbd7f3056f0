import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RunFile } from '../../../contract/server/run-file.ts';
import type { ChapterMark } from '../../words/chapters-of.ts';
import { formatClock } from '../../words/format.ts';
import { presetTitle } from '../../words/preset-words.ts';
import { matchedVolume } from '../../words/matched-volume.ts';
import type { ResultFile } from '../../words/result-files.ts';
import { Chapters } from './chapters.tsx';
import { LoudnessPicture } from './loudness-picture.tsx';
import { type ShownTranscript, Transcript } from './transcript.tsx';
import { PlayButton } from './play-button.tsx';
import { Spectrogram } from './spectrogram.tsx';
import { Waveform } from './waveform.tsx';
import { laterTexts } from '../../later-texts.ts';
import '../../style/player.css';

interface Version {
  name: string;
  url: string;
  loudness: number | null | undefined;
  /** Start of the version in the source, in seconds. */
  beginsAt: number;
}

interface Props {
  source: RunFile | undefined;
  results: readonly ResultFile[];
  peaks: string | undefined;
  spectrogram: ResultFile | undefined;
  transcript: ShownTranscript | undefined;
  /** Requested loudness of each result in LUFS. */
  targets: readonly (number | undefined)[];
  /** Start of each result in the source, in seconds. */
  beginnings: readonly number[];
  /** End of the results in the source, in seconds, if they end before it. */
  end: number | undefined;
  chapters: readonly ChapterMark[];
  onBroken: () => void;
}

/** Plays the results and their source. Each has its own element, so that switching continues at the same place without a gap. */
export function AudioPlayer(props: Props) {
  const { source, results, peaks, spectrogram, transcript, targets, chapters, onBroken } = props;
  const versions = versionsOf(props);
  const players = useRef<(HTMLAudioElement | null)[]>([]);
  const shown = useSignal(versions.length > 1 && source !== undefined ? 1 : 0);
  const isPlaying = useSignal(false);
  const isBroken = useSignal(false);
  const atSeconds = useSignal(0);
  const lengthSeconds = useSignal(0);
  const current = (): HTMLAudioElement | null | undefined => players.current[shown.peek()];
  /** Start of the time line, which is that of the first result, in the shown version. */
  const origin = (): number => (props.beginnings[0] ?? 0) - (versions[shown.peek()]?.beginsAt ?? 0);

  /** True if the source plays a part that the results do not have. */
  const isOver = (): boolean =>
    source !== undefined && shown.peek() === 0 && (current()?.currentTime ?? 0) >= (props.end ?? Infinity);

  useEffect(() => {
    if (!isPlaying.value) return undefined;
    let frame = requestAnimationFrame(function show() {
      atSeconds.value = Math.max(0, (current()?.currentTime ?? 0) - origin());
      if (isOver()) current()?.pause();
      frame = requestAnimationFrame(show);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying.value]);

  const seek = (seconds: number): void => {
    const player = current();
    if (!player) return;
    // Before the duration is known, the browser stores the position as the start.
    atSeconds.value = Math.min(Math.max(0, seconds), lengthSeconds.value || Infinity);
    player.currentTime = atSeconds.value + origin();
  };
  const begin = (player: HTMLAudioElement): void => {
    player.play().catch((error: unknown) => {
      // A pause before playback starts aborts `play`, which is no error.
      if (!(error instanceof DOMException && error.name === 'AbortError')) isBroken.value = true;
    });
  };
  const toggle = (): void => {
    const player = current();
    if (isOver()) seek(0);
    if (player?.paused === true) begin(player);
    else player?.pause();
  };
  const change = (index: number): void => {
    const [before, next] = [current(), players.current[index]];
    if (!next || before === next) return;
    const ahead = (versions[shown.peek()]?.beginsAt ?? 0) - (versions[index]?.beginsAt ?? 0);
    next.currentTime = Math.max(0, (before?.currentTime ?? 0) + ahead);
    if (before?.paused === false) begin(next);
    before?.pause();
    shown.value = index;
  };
  // The source has no loudness picture, so the first result's is shown.
  const index = Math.max(0, shown.value - (source === undefined ? 0 : 1));
  const loudness = results[index]?.facts?.loudness;
  return (
    <div class="player">
      {versions.length > 1 && (
        <fieldset class="filters versions">
          <legend class="quiet small">{laterTexts.player.version}</legend>
          {versions.map(({ name }, index) => (
            <label key={name}>
              <input type="radio" name="version" checked={shown.value === index} onChange={() => change(index)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div class="deck">
        <PlayButton isPlaying={isPlaying.value} onClick={toggle} />
        <Waveform peaks={peaks} atSeconds={atSeconds} lengthSeconds={lengthSeconds} onSeek={seek} />
        <span class="clock">
          {formatClock(atSeconds.value)} <span class="quiet">/ {formatClock(lengthSeconds.value)}</span>
        </span>
        {loudness !== undefined && <LoudnessPicture loudness={loudness} target={targets[index]} />}
        {spectrogram !== undefined && <Spectrogram result={spectrogram} />}
      </div>
      {isBroken.value && <p class="bad">{laterTexts.player.broken}</p>}
      <Chapters chapters={chapters} atSeconds={atSeconds} onSeek={seek} />
      {transcript !== undefined && (
        <Transcript {...transcript} origin={props.beginnings[0] ?? 0} atSeconds={atSeconds} onSeek={seek} />
      )}
      {versions.map(({ name, url }, index) => (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- audio only
        <audio
          key={name}
          preload="metadata"
          src={url}
          ref={(player) => {
            players.current[index] = player;
            if (player)
              player.volume = matchedVolume(
                versions.map(({ loudness }) => loudness),
                index,
              );
          }}
          onLoadedMetadata={(event) => {
            if (index === shown.peek()) lengthSeconds.value = event.currentTarget.duration;
          }}
          onPlay={() => (isPlaying.value = true)}
          onPause={() => (isPlaying.value = current()?.paused === false)}
          onError={() => {
            // The link may have expired; reloading the run gives new ones.
            if (index === shown.peek()) isBroken.value = true;
            onBroken();
          }}
        />
      ))}
    </div>
  );
}

function versionsOf({ source, results, beginnings }: Props): Version[] {
  const measured = results.find(({ facts }) => facts?.loudness !== undefined)?.facts?.loudness;
  const made = results.map(({ file, facts }, index) => ({
    name: facts?.preset === undefined ? file.name : presetTitle(facts.preset),
    url: file.url,
    loudness: facts?.loudness?.integrated,
    beginsAt: beginnings[index] ?? 0,
  }));
  const original = { name: laterTexts.player.source, loudness: measured?.source.integrated, beginsAt: 0 };
  return source === undefined ? made : [{ ...original, url: source.url }, ...made];
}
