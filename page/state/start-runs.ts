import { holdfast, messageOf } from '../api/holdfast.ts';
import { nameOfSource } from '../words/format.ts';
import { type Choice, newInput } from './new-outputs.ts';
import { tell } from './notices.ts';
import { showChange } from './runs.ts';
import { laterTexts } from '../later-texts.ts';

interface NewRun {
  sourceUrl: string;
  name: string;
  bytes?: number;
  choice: Choice;
  /** Idempotency key. */
  key: string;
}

/** Throws a HoldfastError. */
export async function sendRun({ sourceUrl, name, bytes, choice, key }: NewRun): Promise<void> {
  const input = { sourceUrl, ...newInput(choice, name, bytes) };
  const run = await holdfast.start({ workflow: 'encode', input }, { idempotencyKey: key });
  showChange({ source: sourceUrl, formats: choice.presets.map((preset) => preset.name), ...run });
}

export async function startUrls(urls: readonly string[], choice: Choice): Promise<void> {
  for (const sourceUrl of urls) {
    const name = nameOfSource(sourceUrl);
    try {
      await sendRun({ sourceUrl, name, choice, key: crypto.randomUUID() });
      tell('said', laterTexts.upload.started(name));
    } catch (error) {
      tell('problem', messageOf(error));
    }
  }
}
