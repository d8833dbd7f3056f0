import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { definedFields } from '../../contract/defined-fields.ts';
import { estimatedSourceOf } from '../../contract/estimated-source.ts';
import type { MetadataResult } from '../../contract/http/metadata.ts';
import type { EstimateRequest, EstimateView } from '../../contract/server/estimate.ts';
import { holdfast } from '../api/holdfast.ts';
import { chooserTexts } from '../chooser-texts.ts';
import type { AskedSource } from '../state/asked-sources.ts';
import { newInput, type Wanted } from '../state/new-outputs.ts';
import { estimateWords } from '../words/estimate-words.ts';

/** A person who chooses several presets in a row causes one request. */
const pauseMs = 250;

interface Props {
  source: AskedSource;
  /** Undefined before a container has inspected the source. */
  facts: MetadataResult | undefined;
  /** Undefined while an entry is wrong. */
  choice: Wanted | undefined;
}

/** Expected time, size and cost of the run; empty if there are no past runs of the same kind. */
export function RunEstimate({ source, facts, choice }: Props) {
  const estimate = useSignal<EstimateView | undefined>(undefined);
  const request = choice && requestOf(source, facts, choice);
  const asked = request === undefined ? undefined : JSON.stringify(request);
  useEffect(() => {
    estimate.value = undefined;
    if (request === undefined) return;
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      // A run can start without an estimate.
      const answer = await holdfast.estimate(request, { signal: left.signal }).catch(() => undefined);
      if (!left.signal.aborted) estimate.value = answer;
    };
    const timer = setTimeout(() => void ask(), pauseMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [asked]);
  const words = choice && estimate.value && estimateWords(estimate.value, choice.presets.length);
  return (
    <p class="small quiet estimate" role="status" title={chooserTexts.estimate.hint}>
      {words}
    </p>
  );
}

function requestOf(
  source: AskedSource,
  facts: MetadataResult | undefined,
  choice: Wanted,
): EstimateRequest | undefined {
  const { name, bytes, seconds, width, height } = source;
  const seen = definedFields({ bytes, width, height });
  const known =
    facts === undefined
      ? seconds === undefined
        ? undefined
        : { duration: seconds, ...seen }
      : estimatedSourceOf(facts, bytes);
  const isUsable = known !== undefined && known.duration > 0 && choice.presets.length > 0;
  if (!isUsable) return undefined;
  const { outputs, transcript } = newInput(choice, name, bytes);
  // Past runs do not tell how long a transcript takes.
  return transcript === undefined ? { source: known, outputs } : undefined;
}
