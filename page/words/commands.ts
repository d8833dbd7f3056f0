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
  const wanted = outputs as Record<string, unknown>[];
  const others = [trimOptions(wanted), tagOptions(wanted), captionOptions(input, wanted), ownerOption(input)];
  const isKnown = wanted.every((output) => Object.keys(output).every((field) => knownFields.has(field)));
  const isWhole = Object.keys(input).every((field) => inputFields.has(field));
  if (!isKnown || !isWhole || others.includes(undefined)) return undefined;
  const named = wanted.flatMap((output) =>
    kindFields.flatMap((kind) => {
      const { [kind]: name } = output;
      return typeof name === 'string' ? [`--${kind} ${quote(name)}`] : [];
    }),
  );
  return ['npx holdfast encode', quote(source), ...named, ...others.flatMap((options) => options ?? [])].join(' ');
}

/** What an output is, each as the option of its name. */
const kindFields = ['preset', 'format', 'analysis', 'image'] as const;

/** Fields that the options can say, and sizes of the pictures that the page shows, which it leaves to the defaults. */
const knownFields: ReadonlySet<string> = new Set([
  ...kindFields,
  ...['uploadUrl', 'uploadUrlPrefix', 'trim', 'metadata', 'captions'],
  ...['zoom', 'width', 'height'],
]);

/** Fields of the input that the options can say. The command takes the name of the source from its file. */
const inputFields: ReadonlySet<string> = new Set(['sourceUrl', 'sourceName', 'outputs', 'transcript', 'owner']);

/** Tags with options of their own. */
const namedTags: ReadonlySet<string> = new Set(['title', 'artist', 'album', 'date', 'genre', 'comment', 'description']);

function ownerOption({ owner }: Record<string, unknown>): string[] {
  return typeof owner === 'string' ? [`--owner ${quote(owner)}`] : [];
}

/** Undefined if the outputs have different parts of the source. */
function trimOptions(outputs: readonly Record<string, unknown>[]): string[] | undefined {
  const [trim, ...differing] = new Set(outputs.map((output) => JSON.stringify(output['trim'] ?? {})));
  if (differing.length > 0) return undefined;
  const { start, end } = JSON.parse(trim ?? '{}') as { start?: number; end?: number };
  return [
    ...(start === undefined ? [] : [`--trim-start ${start}`]),
    ...(end === undefined ? [] : [`--trim-end ${end}`]),
  ];
}

/** Undefined if the files have different tags: the options hold for all of them. */
function tagOptions(outputs: readonly Record<string, unknown>[]): string[] | undefined {
  const files = outputs.filter(({ analysis, image }) => analysis === undefined && image === undefined);
  const [tags, ...differing] = new Set(files.map(({ metadata }) => JSON.stringify(metadata ?? {})));
  if (differing.length > 0) return undefined;
  return Object.entries(JSON.parse(tags ?? '{}') as Record<string, string | number>).map(([name, text]) =>
    namedTags.has(name) ? `--${name} ${quote(String(text))}` : `--metadata ${quote(`${name}=${text}`)}`,
  );
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
