import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { MetadataResult } from '../../contract/http/metadata.ts';
import { holdfast, messageOf, statusOf } from '../api/holdfast.ts';
import { type AskedSource, askedLater, hasOnlySound, sourceUrlOf } from '../state/asked-sources.ts';
import { nowMs } from '../state/now.ts';
import { uploads, type UploadView } from '../state/uploads.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { laterTexts } from '../later-texts.ts';
import { inspectedWords, seenWords } from '../words/source-words.ts';
import { percentOf, sendingWords } from '../words/upload-words.ts';

export interface Inspection {
  isRunning: boolean;
  facts?: MetadataResult;
  problem?: string;
  /** True if the server did not answer, so that another try may succeed. */
  isCut?: boolean;
}

const retryMs = 2_000;

function uploadOf({ upload }: AskedSource): UploadView | undefined {
  return uploads.value.find(({ id }) => id === upload);
}

/** Asks a container about the only source, as soon as it is uploaded. */
export function useInspection(sources: readonly AskedSource[]): Inspection {
  const inspection = useSignal<Inspection>({ isRunning: false });
  const only = sources.length === 1 ? sources[0] : undefined;
  const sourceUrl = only && sourceUrlOf(only);
  useEffect(() => {
    inspection.value = { isRunning: sourceUrl !== undefined };
    if (only === undefined || sourceUrl === undefined) return;
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const found = await inspect(only, sourceUrl, left.signal);
      if (left.signal.aborted) return;
      inspection.value = found;
      if (found.isCut === true) timer = setTimeout(() => void look(), retryMs);
    };
    void look();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [sourceUrl]);
  return inspection.value;
}

async function inspect(source: AskedSource, sourceUrl: string, signal: AbortSignal): Promise<Inspection> {
  try {
    const facts = await holdfast.inspect({ sourceUrl }, { signal });
    if (source.kind === 'film' && !facts.streams.some(({ type }) => type === 'video')) hasOnlySound(source);
    return { isRunning: false, facts };
  } catch (error) {
    return { isRunning: false, problem: messageOf(error), isCut: statusOf(error) === 0 };
  }
}

/** What is known of the sources, and the progress of their uploads. */
export function SourceHead({ sources, inspection }: { sources: readonly AskedSource[]; inspection: Inspection }) {
  const [first] = sources;
  if (first === undefined) return null;
  const sent = sources.flatMap((source) => uploadOf(source) ?? []);
  const { facts, problem } = inspection;
  return (
    <div class="source">
      <p>
        <strong class="name">
          {sources.length === 1 ? first.name : chooserTexts.sources(sources.length, first.kind)}
        </strong>{' '}
        <span class="quiet small" role="status">
          {sources.length > 1
            ? sources.map(({ name }) => name).join(', ')
            : facts === undefined
              ? seenWords(first)
              : inspectedWords(facts)}
        </span>
      </p>
      {sent.length > 0 && <UploadBar sent={sent} />}
      {first.hasOnlySound === true && <p class="note">{chooserTexts.onlySound}</p>}
      {inspection.isRunning && <p class="quiet small">{chooserTexts.looking}</p>}
      {askedLater.value.length > 0 && <p class="small">{chooserTexts.next(askedLater.value.length)}</p>}
      {problem !== undefined && (
        <p class="bad small" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function UploadBar({ sent }: { sent: readonly UploadView[] }) {
  const all = { bytes: sumOf(sent, 'bytes'), sent: sumOf(sent, 'sent') };
  const [only] = sent;
  const failed = sent.find(({ state }) => state === 'failed');
  const isSending = sent.length === 1 && only?.state === 'sending';
  return (
    <div class="sent">
      <progress max="100" value={percentOf(all)} aria-label={laterTexts.upload.title} />
      <span class={`small ${failed === undefined ? 'quiet' : 'bad'}`}>
        {failed?.message ?? (isSending ? sendingWords(only, nowMs.value) : laterTexts.upload.sending(percentOf(all)))}
      </span>
    </div>
  );
}

function sumOf(sent: readonly UploadView[], field: 'bytes' | 'sent'): number {
  return sent.reduce((sum, upload) => sum + upload[field], 0);
}
