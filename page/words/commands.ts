import type { RunDetails } from '../../contract/server/run.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { nameOfSource } from './format.ts';

export type CommandKind = 'curl' | 'cli' | 'typescript';

/** The run's request as a command. URLs come without their secrets. */
export function commandOf(
  kind: CommandKind,
  { workflow, input }: Pick<RunDetails, 'workflow' | 'input'>,
  { origin, hasTokens }: { origin: string; hasTokens: boolean },
): string | undefined {
  const body = JSON.stringify({ workflow, input }, null, 2);
  switch (kind) {
    case 'curl': {
      const token = hasTokens ? ` -H "Authorization: Bearer $HOLDFAST_TOKEN"` : '';
      return `curl ${origin}/api/runs${token} --json ${quote(body)}`;
    }
    case 'cli':
      return cliCommand(workflow, input);
    case 'typescript':
      return [
        "import { HoldfastClient } from '@holdfast/client';",
        '',
        `const holdfast = new HoldfastClient({ url: '${origin}'${hasTokens ? ', token: process.env.HOLDFAST_TOKEN' : ''} });`,
        `const run = await holdfast.start(${body});`,
      ].join('\n');
  }
}

/** Undefined if the command line has no options for the input. */
function cliCommand(workflow: string, input: Record<string, unknown>): string | undefined {
  const { sourceUrl, outputs } = input;
  if (workflow !== 'encode' || typeof sourceUrl !== 'string' || !Array.isArray(outputs)) return undefined;
  const source = sourceUrl.startsWith('upload:') ? nameOfSource(sourceUrl) : sourceUrl;
  const wanted = (outputs as Record<string, unknown>[]).flatMap((output) => {
    if (typeof output['preset'] === 'string') return [`--preset ${output['preset']}`];
    if (typeof output['format'] === 'string') return [`--format ${output['format']}`];
    return typeof output['analysis'] === 'string' ? [`--analysis ${output['analysis']}`] : [];
  });
  const captions = captionOptions(input, outputs as Record<string, unknown>[]);
  if (wanted.length !== outputs.length || captions === undefined) return undefined;
  return ['npx holdfast encode', quote(source), ...wanted, ...captions].join(' ');
}

/** Undefined if the options cannot say the same: they hold for all films of a run. */
function captionOptions(
  { transcript }: Record<string, unknown>,
  outputs: readonly Record<string, unknown>[],
): string[] | undefined {
  if (!isRecord(transcript)) return [];
  // A preset may make a film, to which the options would add captions.
  if (outputs.some(({ captions, preset }) => captions === undefined && preset !== undefined)) return undefined;
  const { uploadUrlPrefix: _, provider = [], ...others } = transcript;
  const captioned = outputs.flatMap(({ captions }) => (captions === undefined ? [] : [JSON.stringify(captions)]));
  const [captions = 'null', ...differing] = new Set(captioned);
  const track = captionTrack(JSON.parse(captions));
  if (track === undefined || differing.length > 0 || Object.keys(others).length > 0) return undefined;
  return [...track, ...[provider].flat().map((key) => `--provider ${quote(String(key))}`)];
}

function captionTrack(captions: unknown): string[] | undefined {
  if (captions === true) return ['--captions'];
  if (captions === 'burn') return ['--captions burn'];
  if (!isRecord(captions)) return undefined;
  const { language, ...others } = captions;
  if (Object.keys(others).length > 0) return undefined;
  return typeof language === 'string' ? ['--captions', `--caption-language ${quote(language)}`] : ['--captions'];
}

/** Quotes for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
