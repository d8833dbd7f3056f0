import type { RunDetails } from '../../contract/server/run.ts';
import { texts } from '../texts.ts';
import { formatBytes, formatSigned } from '../words/format.ts';
import { channelWords, presetTitle } from '../words/preset-words.ts';
import { hasType, isPeaks, type ResultFile, resultFiles } from '../words/result-files.ts';
import { AudioPlayer } from './audio-player.tsx';

export function Results({ run, reload }: { run: RunDetails; reload: () => void }) {
  const results = resultFiles(run);
  const audio = results.filter((result) => hasType(result, 'audio'));
  const source = run.files.find(({ kind, contentType }) => kind === 'source' && contentType.startsWith('audio/'));
  const targets = results.length === 0 ? targetsOf(run) : [];
  if (results.length === 0 && targets.length === 0) return null;
  return (
    <section class="card results" aria-labelledby="results">
      <h2 id="results">{texts.run.results}</h2>
      {audio.length > 0 && (
        <AudioPlayer
          // Another run, or results that were made anew, begin at their beginning.
          key={run.runId}
          source={source}
          results={audio}
          peaks={results.find(isPeaks)?.file.url}
          onBroken={reload}
        />
      )}
      {results
        .filter((result) => hasType(result, 'video'))
        .map(({ file }) => (
          // oxlint-disable-next-line jsx-a11y/media-has-caption -- what is encoded may have none
          <video key={file.name} controls preload="metadata" src={file.url} />
        ))}
      {results
        .filter((result) => hasType(result, 'image'))
        .map(({ file }) => (
          <img key={file.name} src={file.url} alt={file.name} />
        ))}
      <ul class="files">
        {results.map((result) => (
          <FileRow key={result.file.index} result={result} />
        ))}
        {targets.length > 0 && <li class="quiet">{texts.run.notHere}</li>}
        {targets.map((url) => (
          <li key={url}>
            <code>{url}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FileRow({ result: { file, facts } }: { result: ResultFile }) {
  const words = [
    ...(facts?.preset === undefined ? [] : [presetTitle(facts.preset)]),
    ...(facts?.bitrate === undefined ? [] : [texts.player.kbit(Math.round(facts.bitrate))]),
    ...(facts?.analysis === 'peaks' ? [texts.player.peaks] : []),
    ...(facts?.channels === undefined || facts.analysis !== undefined ? [] : [channelWords(facts.channels)]),
    formatBytes(file.bytes),
  ];
  const loudness = facts?.loudness;
  return (
    <li>
      <span class="what">
        <span class="name">{file.name}</span>
        <span class="quiet small">{words.join(' · ')}</span>
        {loudness !== undefined && loudness.integrated !== null && (
          <span class="small measured" title={texts.player.measured}>
            {texts.player.loudness(formatSigned(loudness.integrated))}
            {loudness.truePeak !== null && ` · ${texts.player.peak(formatSigned(loudness.truePeak))}`}
          </span>
        )}
      </span>
      <a class="button" href={file.url} download={file.name} aria-label={texts.player.downloadOf(file.name)}>
        {texts.player.download}
      </a>
    </li>
  );
}

function targetsOf({ input }: RunDetails): string[] {
  const outputs = Array.isArray(input['outputs']) ? (input['outputs'] as { uploadUrl?: unknown }[]) : [];
  return outputs.flatMap(({ uploadUrl }) => (typeof uploadUrl === 'string' ? [uploadUrl] : []));
}
