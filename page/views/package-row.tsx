import { useSignal } from '@preact/signals';
import type { RunArchive, RunFile } from '../../contract/server/run-file.ts';
import { laterTexts } from '../later-texts.ts';
import { shareTexts } from '../share-texts.ts';
import { formatBytes, formatMoment } from '../words/format.ts';
import { type PlayerKind, playerCode } from '../words/player-code.ts';
import type { OutputFacts } from '../words/result-files.ts';
import { CopyField, copyText } from './copy-field.tsx';

/** An output of several files: its zip, and for a package its addresses for other players. */
export function PackageRow({
  archive,
  entries,
  facts,
}: {
  archive: RunArchive;
  /** Playlist and manifest of a package. */
  entries: readonly RunFile[];
  facts: OutputFacts | undefined;
}) {
  const size = formatBytes(facts?.size ?? 0);
  const words = facts?.package === undefined ? shareTexts.several : laterTexts.player.package;
  return (
    <li class="package">
      <span class="what">
        <span class="name">{archive.name.replace(/\.zip$/, '')}</span>
        <span class="quiet small">{words(archive.files, size)}</span>
      </span>
      <a class="button" href={archive.url} download={archive.name} aria-label={shareTexts.zipOf(archive.name)}>
        {shareTexts.zip}
      </a>
      {entries[0] !== undefined && <OtherPlayers entries={entries} expiresAt={entries[0].expiresAt} />}
    </li>
  );
}

function OtherPlayers({ entries, expiresAt }: { entries: readonly RunFile[]; expiresAt: string }) {
  const kind = useSignal<PlayerKind>('hls');
  const urlOf = (name: string): string | undefined => {
    const entry = entries.find((file) => file.name === name);
    return entry && new URL(entry.url, location.href).href;
  };
  const [hls, dash] = [urlOf('master.m3u8'), urlOf('manifest.mpd')];
  // Shaka Player plays both; hls.js plays only HLS.
  const codes = { ...(hls !== undefined && { hls }), shaka: dash ?? hls ?? '' };
  const chosen = codes[kind.value] === undefined ? 'shaka' : kind.value;
  const code = playerCode(chosen, codes[chosen] ?? '');
  const texts = shareTexts.player;
  return (
    <details>
      <summary>{texts.title}</summary>
      {entries.map(({ name }) => (
        <CopyField key={name} label={texts.addressOf(name)} text={urlOf(name) ?? ''} />
      ))}
      <p class="quiet small">{texts.until(formatMoment(expiresAt, Date.now()))}</p>
      <fieldset class="filters">
        <legend>{texts.code}</legend>
        {(Object.keys(codes) as PlayerKind[]).map((name) => (
          <label key={name}>
            <input type="radio" name="player" checked={chosen === name} onChange={() => (kind.value = name)} />
            <span>{texts[name]}</span>
          </label>
        ))}
      </fieldset>
      <pre tabIndex={0}>{code}</pre>
      <button type="button" onClick={() => void copyText(code).catch(() => undefined)}>
        {laterTexts.copy.button}
      </button>
    </details>
  );
}
