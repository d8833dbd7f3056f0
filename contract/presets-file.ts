import type { z } from 'zod';
import { Preset } from './http/preset.ts';
import { PresetName } from './http/output.ts';
import { builtInPresets, type Presets } from './presets.ts';
import { resolveOutput } from './resolve-output.ts';
import { recordOf } from './record.ts';
import { messageOf } from './unknown-values.ts';

/** Problems that the error names. */
const mostIssues = 5;

const PresetsFile = recordOf(
  PresetName,
  Preset.refine((preset) => (preset.container ?? preset.package) !== undefined, {
    error: 'give a container, or a package',
    path: ['container'],
  }),
);

/** Why a PRESETS_FILE cannot be used. The message names the file and the field. */
export class PresetsFileError extends Error {
  override readonly name = 'PresetsFileError';
}

function describeIssue({ path, message, ...issue }: z.core.$ZodIssue): string {
  // zod reports a bad name only as invalid; the reason is in the nested issues.
  const text = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? message) : message;
  const sentence = path.length === 0 ? text : `${path.join('.')}: ${text}`;
  return sentence.length > 300 ? `${sentence.slice(0, 300)}…` : sentence;
}

/** Built-in presets and those of PRESETS_FILE, whose text `read` returns. Throws a PresetsFileError. */
export function withOwnPresets(file: string | undefined, read: (file: string) => string): Presets {
  if (file === undefined) return builtInPresets;
  const refuse = (problem: string): PresetsFileError => new PresetsFileError(`${file} ${problem}`);
  let json: unknown;
  try {
    // Some editors write a byte order mark.
    json = JSON.parse(read(file).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw refuse(
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : `cannot be read: ${messageOf(error)}`,
    );
  }
  const parsed = PresetsFile.safeParse(json);
  if (!parsed.success)
    throw refuse(
      `has a preset that is not valid: ${parsed.error.issues.slice(0, mostIssues).map(describeIssue).join('; ')}`,
    );
  const taken = Object.keys(parsed.data).find((name) => Object.hasOwn(builtInPresets, name));
  if (taken !== undefined) throw refuse(`names ${taken}, which is a preset of Holdfast: give it another name`);
  const presets: Presets = { ...builtInPresets, ...parsed.data };
  for (const preset of Object.keys(parsed.data)) {
    try {
      resolveOutput({ preset }, presets);
    } catch (error) {
      throw refuse(`has a preset that is not valid. ${messageOf(error)}`);
    }
  }
  return presets;
}
