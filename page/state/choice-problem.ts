import './plain-zod.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { EncodeInput } from '../../contract/workflow/encode.ts';
import { presetTitle } from '../words/preset-words.ts';
import { newInput, type Wanted } from './new-outputs.ts';
import { type PresetView, session } from './session.ts';

/**
 * Why a run with the choice would be refused, by the rules of the server and its containers; undefined if the choice is possible. A
 * source may have further limits.
 */
export function findProblem(choice: Wanted): string | undefined {
  const input = newInput(choice, 'source', undefined);
  const outputs = input.outputs.map(withUrls);
  const transcript = input.transcript && withUrls(input.transcript);
  const parsed = EncodeInput.safeParse({ sourceUrl: 'https://file.invalid/source', outputs, transcript });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const [, index, ...field] = issue?.path ?? [];
    return `${titleOf(choice, Number(index))}: ${[field.join('.'), issue?.message].filter(Boolean).join(' ')}.`;
  }
  const presets = Object.fromEntries(serverPresets().map(({ name, ...preset }) => [name, preset]));
  for (const [index, { uploadUrl: _, uploadUrlPrefix: __, captions: ___, ...output }] of outputs.entries()) {
    try {
      resolveOutput(output as Parameters<typeof resolveOutput>[0], presets);
    } catch (error) {
      return `${titleOf(choice, index)}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}

function serverPresets(): readonly PresetView[] {
  return session.value.state === 'ready' ? session.value.presets : [];
}

function titleOf({ presets }: Wanted, index: number): string {
  return presetTitle(presets[index]?.name ?? '');
}

/** The server gives results their places. */
function withUrls<Output extends { uploadUrl?: string | undefined; uploadUrlPrefix?: string | undefined }>(
  output: Output,
): Output {
  const place = (url: string): string =>
    url.replace(/^result:(.*)$/s, (_, name: string) => `file:///${encodeURI(name)}`);
  const { uploadUrl, uploadUrlPrefix } = output;
  return {
    ...output,
    ...(uploadUrl !== undefined && { uploadUrl: place(uploadUrl) }),
    ...(uploadUrlPrefix !== undefined && { uploadUrlPrefix: place(uploadUrlPrefix) }),
  };
}
