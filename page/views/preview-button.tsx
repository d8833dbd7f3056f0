import type { MetadataResult } from '../../contract/http/metadata.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { type AskedSource, sourceUrlOf } from '../state/asked-sources.ts';
import type { Wanted } from '../state/new-outputs.ts';
import type { Preview } from '../state/preview-run.ts';

interface Props {
  preview: Preview;
  source: AskedSource;
  /** Undefined before a container has inspected the source. */
  facts: MetadataResult | undefined;
  /** True if ten seconds of a chosen result can be shown. */
  isPossible: boolean;
  readWanted: () => Promise<Wanted | undefined>;
}

/** Starts the preview of the chosen results. */
export function PreviewButton({ preview, source, facts, isPossible, readWanted }: Props) {
  const sourceUrl = sourceUrlOf(source);
  const isKnown = sourceUrl !== undefined && facts !== undefined;
  const isRunning = preview.state.value.state === 'running';
  return (
    <button
      type="button"
      disabled={!isKnown || !isPossible}
      aria-disabled={isRunning}
      title={isKnown ? chooserTexts.preview.hint : chooserTexts.preview.notYet}
      onClick={() => {
        if (!isKnown || isRunning) return;
        void preview.start({ sourceUrl, name: source.name, seconds: facts.duration }, readWanted);
      }}
    >
      {chooserTexts.preview.start}
    </button>
  );
}
