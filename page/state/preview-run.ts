import { type Signal, signal } from '@preact/signals';
import { estimateOf, previewTrim, secondsAfter, wholeSpeedIn } from '../../contract/preview.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import { holdfast, messageOf } from '../api/holdfast.ts';
import { chooserTexts } from '../chooser-texts.ts';
import { newOutputs, type Wanted } from './new-outputs.ts';
import type { PresetView } from './session.ts';

export type PreviewState =
  | { state: 'none' }
  | { state: 'running'; percent: number }
  | { state: 'failed'; message: string }
  /** `bytes`: size of the whole by preset, if all of it is like the preview. */
  | {
      state: 'ready';
      run: RunDetails;
      presets: readonly PresetView[];
      bytes: readonly (number | undefined)[];
      /** Seconds to encode the whole; undefined if the speed is not known, or if a chosen package has no preview. */
      encodeSeconds: number | undefined;
    };

export interface PreviewedSource {
  sourceUrl: string;
  name: string;
  /** Seconds of the whole source. */
  seconds: number;
}

/** A run of ten seconds from the middle, whose results are played beside the source. */
export interface Preview {
  state: Signal<PreviewState>;
  start(source: PreviewedSource, readWanted: () => Promise<Wanted | undefined>): Promise<void>;
  reload(): Promise<void>;
  /** Cancels the run, if one is open, and hides its results. */
  stop(): void;
}

/** The presets of which ten seconds can be shown: packages are played as a whole. */
export function previewable(presets: readonly PresetView[]): PresetView[] {
  return presets.filter((preset) => preset.package === undefined);
}

/** The outputs of the presets, each with ten seconds, and the waveform of sound. */
export function previewOutputs(
  { presets, extras }: Wanted,
  { name, seconds }: PreviewedSource,
): EncodeInput['outputs'] {
  // Titles, chapters and covers do not change what a person sees and hears.
  const { trim, subtitles, watermark } = extras;
  const shown = { ...(trim && { trim }), ...(subtitles && { subtitles }), ...(watermark && { watermark }) };
  return newOutputs({ presets, extras: shown }, name, 0)
    .filter(({ image }) => image === undefined)
    .map((output, index) => ({
      ...output,
      trim: previewTrim(output.trim ?? presets[index]?.trim ?? {}, seconds),
    }));
}

export function createPreview(): Preview {
  const state = signal<PreviewState>({ state: 'none' });
  let current = new AbortController();
  let open: string | undefined;

  const stop = (): void => {
    current.abort();
    if (open !== undefined) holdfast.cancel(open).catch(() => undefined);
    open = undefined;
    state.value = { state: 'none' };
  };

  const follow = async (source: PreviewedSource, all: Wanted, signal: AbortSignal): Promise<void> => {
    const wanted = { ...all, presets: previewable(all.presets) };
    const outputs = previewOutputs(wanted, source);
    const { sourceUrl, name } = source;
    const sourceName = chooserTexts.preview.nameOf(name).slice(0, 255);
    const input = { sourceUrl, sourceName, outputs, preview: true as const };
    const { id } = await holdfast.start({ workflow: 'encode', input });
    if (signal.aborted) return void (await holdfast.cancel(id));
    open = id;
    let lastSpeed: number | undefined;
    for await (const progress of holdfast.follow(id, { signal })) {
      lastSpeed = wholeSpeedIn(progress) ?? lastSpeed;
      state.value = { state: 'running', percent: progress.percent ?? 0 };
    }
    const run = await holdfast.get(id, { signal });
    open = undefined;
    if (run.result === undefined || !('outputs' in run.result)) {
      state.value = { state: 'failed', message: run.failure?.message ?? chooserTexts.preview.failed };
      return;
    }
    const made = run.result.outputs.slice(0, wanted.presets.length);
    const estimates = made.map((output, index) => {
      const trim = wanted.extras.trim ?? wanted.presets[index]?.trim ?? {};
      return estimateOf([output], secondsAfter(trim, source.seconds), lastSpeed);
    });
    const bytes = estimates.map(({ sizes }) => sizes[0]);
    // All results are encoded together, so the longest decides.
    const longest = Math.max(...estimates.map((estimate) => estimate.encodeSeconds ?? 0));
    const isWhole = wanted.presets.length === all.presets.length;
    const encodeSeconds = isWhole && lastSpeed !== undefined ? longest : undefined;
    state.value = { state: 'ready', run, presets: wanted.presets, bytes, encodeSeconds };
  };

  return {
    state,
    async start(source, readWanted) {
      stop();
      const { signal } = (current = new AbortController());
      state.value = { state: 'running', percent: 0 };
      try {
        const wanted = await readWanted();
        if (signal.aborted) return;
        if (wanted === undefined) return stop();
        await follow(source, wanted, signal);
      } catch (error) {
        if (!signal.aborted) state.value = { state: 'failed', message: messageOf(error) };
      }
    },
    async reload() {
      const shown = state.peek();
      if (shown.state !== 'ready') return;
      const run = await holdfast.get(shown.run.id).catch(() => undefined);
      if (run !== undefined && state.peek() === shown) state.value = { ...shown, run };
    },
    stop,
  };
}
