import type { RunDetails } from '../../contract/server/run.ts';
import { holdfast } from '../api/holdfast.ts';
import { type Choice, newInput } from './new-outputs.ts';
import { tell } from './notices.ts';
import { orTell } from './or-tell.ts';
import { showChange } from './runs.ts';
import { laterTexts } from '../later-texts.ts';

interface NewRun {
  sourceUrl: string;
  name: string;
  bytes?: number;
  choice: Choice;
  earlier?: RunDetails | undefined;
  /** Idempotency key. */
  key: string;
}

/** Throws a HoldfastError. */
export async function sendRun({ sourceUrl, name, bytes, choice, earlier, key }: NewRun): Promise<void> {
  const { owner, input: { sourceName, transcript: before } = {} } = earlier ?? {};
  const { outputs, transcript } = newInput(choice, name, bytes);
  const input = {
    sourceUrl,
    outputs,
    // The provider and the layout of captions have no fields in the form.
    ...(transcript !== undefined && { transcript: { ...(before as object | undefined), ...transcript } }),
    ...(owner !== undefined && { owner }),
    ...(typeof sourceName === 'string' && { sourceName }),
  };
  const run = await holdfast.start({ workflow: 'encode', input }, { idempotencyKey: key });
  showChange({ source: sourceUrl, formats: choice.presets.map((preset) => preset.name), ...run });
}

/** Starts a run of each URL. A run that repeats an earlier one has its name and owner. */
export async function startUrls(
  sources: readonly { url: string; name: string; earlier?: RunDetails | undefined }[],
  choice: Choice,
): Promise<void> {
  for (const { url, name, earlier } of sources) {
    await orTell(async () => {
      await sendRun({ sourceUrl: url, name, choice, earlier, key: crypto.randomUUID() });
      tell('said', laterTexts.upload.started(name));
    });
  }
}
