import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { MetadataResult } from '../../contract/http/metadata.ts';
import { messageOf } from '../api/holdfast.ts';
import { type AskedSource, startAsked } from '../state/asked-sources.ts';
import { mostOutputs, type Wanted } from '../state/new-outputs.ts';
import { ownSettings } from '../state/own-settings.ts';
import { createPreview, previewable } from '../state/preview-run.ts';
import { remember, remembered } from '../state/remembered.ts';
import { type PresetView, session } from '../state/session.ts';
import { uploadAttachments } from '../state/upload-attachments.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { draftOfSeveral, type ExtrasDraft, extrasOf, filesOf } from '../words/extras-draft.ts';
import { fitsSearch } from '../words/preset-facts.ts';
import { groupPresets } from '../words/preset-groups.ts';
import { isOwn, presetTitle } from '../words/preset-words.ts';
import type { SourceKind } from '../words/source-kind.ts';
import { ExtrasForm } from './extras-form.tsx';
import { later } from './later.tsx';
import { PresetGrid } from './preset-grid.tsx';
import { Problem } from './problem.tsx';
import { PreviewButton } from './preview-button.tsx';
import { RunEstimate } from './run-estimate.tsx';

const PreviewResult = later(async () => (await import('./preview-result.tsx')).PreviewResult);

interface Props {
  kind: SourceKind;
  sources: readonly AskedSource[];
  /** Names of the chosen presets. */
  chosen: Signal<readonly string[]>;
  draft: Signal<ExtrasDraft>;
  head: ComponentChildren;
  /** Facts of the only source, once a container has inspected it. */
  facts: MetadataResult | undefined;
  onEdit: (preset: PresetView) => void;
  /** No other source is left. */
  onDone: () => void;
}

/** Stands for the URLs of files that are not uploaded yet. */
const standInUrl = 'https://file.invalid/file';

function presetsFor(kind: SourceKind): PresetView[] {
  const ofServer = session.value.state === 'ready' ? session.value.presets : [];
  return groupPresets([...ofServer, ...ownSettings.value], kind).flatMap(({ presets }) => presets);
}

/** Presets of the repeated run, or else of the last choice, that still exist and suit the source. */
export function chosenFirst(kind: SourceKind, repeated: readonly string[]): readonly string[] {
  const known = new Set(presetsFor(kind).map(({ name }) => name));
  const fitting = repeated.filter((name) => known.has(name));
  return fitting.length > 0 ? fitting : remembered.value[kind].filter((name) => known.has(name));
}

export function ChoiceForm({ kind, sources, chosen, draft, head, facts, onEdit, onDone }: Props) {
  const words = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  // A file may be added while the form is open.
  const entered = (): ExtrasDraft => (sources.length > 1 ? draftOfSeveral(draft.value) : draft.value);
  const isStarting = useSignal(false);
  const start = useRef<HTMLButtonElement>(null);
  // One key starts with the choice of the last time.
  useEffect(() => start.current?.focus(), []);
  const all = presetsFor(kind);
  const presets = all.filter(({ name }) => chosen.value.includes(name));
  const found = all.filter((preset) => fitsSearch(preset, words.value.trim()));
  const toggle = (name: string): void => {
    problem.value = undefined;
    const others = chosen.value.filter((one) => one !== name);
    chosen.value = others.length < chosen.value.length ? others : [...others, name];
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isStarting.value) return;
    isStarting.value = true;
    startRuns()
      .catch((error: unknown) => (problem.value = messageOf(error)))
      .finally(() => (isStarting.value = false));
  };
  /** Uploads pictures and subtitles. Undefined if the choice is not possible; then the form shows why. */
  const readWanted = async (): Promise<Wanted | undefined> => {
    const { findProblem } = await import('../state/choice-problem.ts');
    problem.value = findProblem({ presets, extras: extrasOf(entered(), () => standInUrl) });
    if (problem.value !== undefined) return undefined;
    const urls = await uploadAttachments(filesOf(entered()));
    return { presets, extras: extrasOf(entered(), (file) => urls.get(file) ?? '') };
  };
  const startRuns = async (): Promise<void> => {
    const wanted = await readWanted();
    if (wanted === undefined) return;
    remember(kind, chosen.value);
    if (startAsked({ ...wanted, id: crypto.randomUUID() }, sources)) onDone();
  };
  const choiceNow = (): Wanted | undefined => {
    try {
      return { presets, extras: extrasOf(entered(), () => standInUrl) };
    } catch {
      // The start reports the wrong entry.
      return undefined;
    }
  };
  const preview = useMemo(createPreview, []);
  useEffect(() => preview.stop, []);
  const only = sources.length === 1 ? sources[0] : undefined;
  const limit = presets.length > mostOutputs ? chooserTexts.tooMany(mostOutputs) : undefined;
  const grid = { chosen: new Set(chosen.value), frame: sources[0]?.frame, onToggle: toggle, onEdit };
  const isFound = words.value.trim() !== '';
  const saved = found.filter(({ name }) => isOwn(name));
  const groups = groupPresets(
    found.filter(({ name }) => !isOwn(name)),
    kind,
  );
  return (
    <form onSubmit={submit}>
      <div class="body">
        {head}
        {preview.state.value.state !== 'none' && <PreviewResult preview={preview} />}
        <div class="tools">
          <input
            type="search"
            aria-label={chooserTexts.search}
            placeholder={chooserTexts.search}
            value={words.value}
            onInput={(event) => (words.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              // Enter would start the runs.
              if (event.key === 'Enter') event.preventDefault();
            }}
          />
          <button
            type="button"
            onClick={() => {
              const from = presets[0] ?? all[0];
              if (from !== undefined) onEdit(isOwn(from.name) ? { ...from, name: '' } : from);
            }}
          >
            {chooserTexts.custom}
          </button>
        </div>
        {sources.length > 0 && (
          <ExtrasForm
            draft={draft.value}
            presets={presets}
            isOne={sources.length === 1}
            isFilm={kind === 'film'}
            knownTitle={facts?.tags['title']}
            onChange={(change) => (draft.value = { ...draft.value, ...change })}
          />
        )}
        {found.length === 0 && <p class="quiet">{chooserTexts.noMatch}</p>}
        {saved.length > 0 && <PresetGrid title={chooserTexts.saved} presets={saved} isOpen {...grid} />}
        {groups.map(({ group, presets: listed }, index) => (
          <PresetGrid
            key={`${group} ${isFound}`}
            title={chooserTexts.groups[group]}
            presets={listed}
            isOpen={isFound || index < 2}
            {...grid}
          />
        ))}
      </div>
      <footer>
        <Problem text={problem.value} />
        <div>
          <p class="small" role="status">
            {limit ?? chooserTexts.chosen(presets.map(({ name }) => presetTitle(name)))}
          </p>
          {only !== undefined && limit === undefined && (
            <RunEstimate source={only} facts={facts} choice={choiceNow()} />
          )}
        </div>
        {only !== undefined && (
          <PreviewButton
            preview={preview}
            source={only}
            facts={facts}
            isPossible={previewable(presets).length > 0 && limit === undefined}
            readWanted={readWanted}
          />
        )}
        <button
          ref={start}
          type="submit"
          class="main"
          disabled={presets.length === 0 || limit !== undefined}
          aria-disabled={isStarting.value}
        >
          {isStarting.value
            ? chooserTexts.starting
            : sources.length === 0
              ? chooserTexts.save
              : chooserTexts.start(sources.length)}
        </button>
      </footer>
    </form>
  );
}
