import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RunFile } from '../../contract/server/run-file.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { laterTexts } from '../later-texts.ts';
import { session } from '../state/session.ts';
import { chaptersOf, type ChapterMark, readChapters } from '../words/chapters-of.ts';
import { wantedLufs } from '../words/loudness-target.ts';
import {
  hasType,
  isFilm,
  isImage,
  isPeaks,
  type ResultFile,
  resultFiles,
  type ShownRun,
} from '../words/result-files.ts';
import { beginningOf, endOf, wantedOutputs } from '../words/wanted-outputs.ts';
import { AudioPlayer } from './player/audio-player.tsx';
import type { FilmSource } from './player/film-compare.tsx';
import type { ShownTranscript } from './player/transcript.tsx';
import { FileList } from './file-list.tsx';
import { later } from './later.tsx';

const FilmPlayer = later(async () => (await import('./player/film-player.tsx')).FilmPlayer);

/** Images that players show. */
const inPlayers = ['poster', 'storyboard', 'spectrogram'];

export function Results({ run, reload }: { run: ShownRun; reload: () => void }) {
  const results = resultFiles(run);
  const pictures = results.filter(
    (result) => hasType(result, 'image') && !inPlayers.some((image) => isImage(result, image)),
  );
  const targets = results.length === 0 ? targetsOf(run) : [];
  if (results.length + targets.length + run.archives.length === 0) return null;
  return (
    <section class="card results" aria-labelledby="results">
      <h2 id="results">{laterTexts.run.results}</h2>
      <Players run={run} reload={reload} />
      {pictures.map(({ file }) => (
        <img key={file.url} src={file.url} alt={file.name} loading="lazy" />
      ))}
      <FileList run={run} results={results} targets={targets} />
    </section>
  );
}

/** Players of a run's films and sound, beside their source. */
export function Players({ run, reload }: { run: ShownRun; reload: () => void }) {
  const results = resultFiles(run);
  const audio = results.filter((result) => hasType(result, 'audio'));
  const films = results.filter(isFilm);
  const sourceOf = (type: 'audio' | 'video') =>
    run.files.find(({ kind, contentType }) => kind === 'source' && contentType.startsWith(`${type}/`));
  const fileNamed = (name: string) => results.find(({ file }) => file.name === name)?.file.url;
  const transcript = transcriptOf(run, fileNamed('transcript.json'));
  const named = useChapters(fileNamed('chapters.json'));
  const presets = session.value.state === 'ready' ? session.value.presets : [];
  const chapters = ({ file: { index = 0 }, facts }: ResultFile): readonly ChapterMark[] =>
    named.length > 0 ? named : chaptersOf(run, index, facts);
  return (
    <>
      {audio[0] !== undefined && (
        <AudioPlayer
          // The key resets the player for another run.
          key={run.runId}
          source={sourceOf('audio')}
          results={audio}
          peaks={results.find(isPeaks)?.file.url}
          spectrogram={results.find((result) => isImage(result, 'spectrogram'))}
          transcript={transcript}
          targets={audio.map(({ file }) => wantedLufs(run, file.index, presets))}
          beginnings={audio.map(({ file }) => beginningOf(run, file.index))}
          end={endOf(run, audio[0].file.index)}
          chapters={chapters(audio[0])}
          onBroken={reload}
        />
      )}
      {films.map((film, index) => (
        <FilmPlayer
          key={`${run.runId} ${film.file.index}`}
          file={film.file}
          source={filmSourceOf(run, film, sourceOf('video'))}
          poster={results.find((result) => isImage(result, 'poster'))?.file.url}
          storyboard={fileNamed('storyboard.vtt')}
          chapters={chapters(film)}
          transcript={audio.length + index === 0 ? transcript : undefined}
          beginsAt={beginningOf(run, film.file.index)}
          onBroken={reload}
        />
      ))}
    </>
  );
}

function transcriptOf(run: ShownRun, original: string | undefined): ShownTranscript | undefined {
  const { id, runId, input } = run;
  const correction = run.files.find(({ kind }) => kind === 'correction');
  if (original === undefined && correction === undefined) return undefined;
  const made = isRecord(input['transcript']) ? input['transcript'] : input;
  return { place: { id, runId, original, correction }, captions: made['captions'] };
}

function filmSourceOf(run: ShownRun, { file, facts }: ResultFile, source: RunFile | undefined): FilmSource | undefined {
  if (source === undefined) return undefined;
  const loudness = [facts?.loudness?.source.integrated, facts?.loudness?.integrated];
  return { url: source.url, beginsAt: beginningOf(run, file.index), loudness };
}

/** Loads a file of podcast chapters. */
function useChapters(url: string | undefined): readonly ChapterMark[] {
  const chapters = useSignal<readonly ChapterMark[]>([]);
  useEffect(() => {
    if (url === undefined) return;
    fetch(url)
      .then(async (answer) => (chapters.value = answer.ok ? readChapters(await answer.json()) : []))
      .catch(() => undefined);
  }, [url]);
  return chapters.value;
}

/** URLs to which the request sent results. */
function targetsOf(run: ShownRun): string[] {
  return wantedOutputs(run).flatMap(({ uploadUrl, uploadUrlPrefix }) => {
    const url = uploadUrl ?? uploadUrlPrefix;
    return typeof url === 'string' ? [url] : [];
  });
}
