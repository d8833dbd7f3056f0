import { useEffect, useRef } from 'preact/hooks';
import { chooserTexts } from '../chooser-texts.ts';
import { progressTexts } from '../progress-texts.ts';
import type { Preview, PreviewState } from '../state/preview-run.ts';
import { formatBytes, formatSpan } from '../words/format.ts';
import { presetTitle } from '../words/preset-words.ts';
import { Players } from './results.tsx';
import '../style/run.css';

/** The ten seconds beside their source, and the expected size of the whole. */
export function PreviewResult({ preview }: { preview: Preview }) {
  const section = useRef<HTMLElement>(null);
  const shown = preview.state.value;
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [shown.state]);
  return (
    <section ref={section} class="preview" aria-label={chooserTexts.preview.title}>
      <header>
        <h3>{chooserTexts.preview.title}</h3>
        <button type="button" class="plain" onClick={() => preview.stop()}>
          {shown.state === 'running' ? chooserTexts.preview.cancel : chooserTexts.preview.hide}
        </button>
      </header>
      {shown.state === 'running' && (
        <progress max="100" value={shown.percent} aria-label={progressTexts.progress.label} />
      )}
      {shown.state === 'failed' && (
        <p class="bad" role="alert">
          {shown.message}
        </p>
      )}
      {shown.state === 'ready' && <Shown {...shown} onBroken={() => void preview.reload()} />}
    </section>
  );
}

type Ready = Extract<PreviewState, { state: 'ready' }>;

function Shown({ run, presets, bytes, encodeSeconds, onBroken }: Ready & { onBroken: () => void }) {
  return (
    <>
      <Players run={run} reload={onBroken} />
      <div class="small" role="status">
        {presets.map(({ name }, index) => (
          <p key={name}>{chooserTexts.preview.size(presetTitle(name), wordsOf(bytes[index]))}</p>
        ))}
        {encodeSeconds !== undefined && <p>{chooserTexts.preview.time(formatSpan(encodeSeconds))}</p>}
      </div>
    </>
  );
}

function wordsOf(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatBytes(bytes);
}
