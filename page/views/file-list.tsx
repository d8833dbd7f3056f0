import type { RunFile } from '../../contract/server/run-file.ts';
import { laterTexts } from '../later-texts.ts';
import { texts } from '../texts.ts';
import { formatBytes, formatSigned } from '../words/format.ts';
import { channelWords, presetTitle } from '../words/preset-words.ts';
import { factsOf, isEntry, isPartOfPlayer, type ResultFile, type ShownRun } from '../words/result-files.ts';
import { PackageRow } from './package-row.tsx';

/** Pause between downloads, because browsers drop downloads that start at the same time. */
const saveAllPauseMs = 400;

interface Props {
  run: ShownRun;
  results: readonly ResultFile[];
  targets: readonly string[];
}

/** Files to download. `targets` are the URLs of results that the server does not store. */
export function FileList({ run, results, targets }: Props) {
  const files = results.filter((result) => !isPartOfPlayer(result));
  const archives = run.archives.filter(({ index }) => factsOf(run, index)?.image !== 'storyboard');
  const entriesOf = (index: number): RunFile[] =>
    results.flatMap(({ file }) => (file.index === index && isEntry(file) ? [file] : []));
  return (
    <>
      <ul class="files">
        {archives.map((archive) => (
          <PackageRow
            key={archive.index}
            archive={archive}
            entries={entriesOf(archive.index)}
            facts={factsOf(run, archive.index)}
          />
        ))}
        {files.map((result) => (
          <FileRow key={result.file.url} result={result} />
        ))}
        {targets.length > 0 && <li class="quiet">{laterTexts.run.notHere}</li>}
        {targets.map((url) => (
          <li key={url}>
            <code>{url}</code>
          </li>
        ))}
      </ul>
      {files.length > 1 && (
        <button type="button" class="save-all" onClick={() => void saveAll(files)}>
          {laterTexts.player.saveAll(files.length)}
        </button>
      )}
    </>
  );
}

async function saveAll(files: readonly ResultFile[]): Promise<void> {
  for (const { file } of files) {
    const link = document.createElement('a');
    Object.assign(link, { href: file.url, download: file.name });
    link.click();
    await new Promise((resolve) => setTimeout(resolve, saveAllPauseMs));
  }
}

function FileRow({ result: { file, facts } }: { result: ResultFile }) {
  const kind = facts?.analysis ?? facts?.image;
  const ending = /^transcript\.(?:.+\.)?(\w+)$/.exec(file.name)?.[1] ?? '';
  const transcript = laterTexts.player.transcripts[ending];
  const words = [
    ...(transcript === undefined ? [] : [transcript]),
    ...(facts?.preset === undefined ? [] : [presetTitle(facts.preset)]),
    ...(facts?.bitrate === undefined ? [] : [texts.sound.kbit(Math.round(facts.bitrate))]),
    ...(kind === undefined ? [] : [laterTexts.player.kinds[kind] ?? kind]),
    ...(facts?.channels === undefined || kind !== undefined ? [] : [channelWords(facts.channels)]),
    formatBytes(file.bytes),
  ];
  const loudness = facts?.loudness;
  return (
    <li>
      <span class="what">
        <span class="name">{file.name}</span>
        <span class="quiet small">{words.join(' · ')}</span>
        {loudness !== undefined && loudness.integrated !== null && (
          <span class="small measured" title={laterTexts.player.measured}>
            {laterTexts.player.loudness(formatSigned(loudness.integrated))}
            {loudness.truePeak !== null && ` · ${laterTexts.player.peak(formatSigned(loudness.truePeak))}`}
          </span>
        )}
      </span>
      <a class="button" href={file.url} download={file.name} aria-label={laterTexts.player.downloadOf(file.name)}>
        {laterTexts.player.download}
      </a>
    </li>
  );
}
