import { CancelledFailure, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChunkingOutcome } from '../../contract/workflow/chunking.ts';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import type { WorkflowType } from '../../contract/workflow/inputs.ts';
import { speechWav } from '../support/media.ts';
import { longSeconds, type SoakStack } from './soak-stack.ts';

/** Waits of seconds instead of minutes; everything else is as users have it. */
const retry = { baseDelay: 1, maxDelay: 2 };
const chunkDuration = 10;
const overlapDuration = 2;
const chunkCount = Math.ceil((longSeconds - overlapDuration) / (chunkDuration - overlapDuration));

/** A kind of run: its input, and a check of its end that returns problems as sentences. */
interface SoakKind {
  name: string;
  /** Relative frequency. */
  share: number;
  workflow: WorkflowType;
  input(soak: SoakStack, id: string): object | Promise<object>;
  /** Interferes with the run. */
  meddle?: (soak: SoakStack, handle: WorkflowHandle) => Promise<void>;
  findProblems(soak: SoakStack, id: string, handle: WorkflowHandle): Promise<string[]>;
}

export interface SoakRun {
  kind: string;
  handle: WorkflowHandle;
  runId: string;
  succeeds: boolean;
  /** Problems, once the run has ended. */
  problems: Promise<string[]>;
}

const prefix = (id: string) => `s3://media/${id}/`;

/** Names and contents of a run's stored files; hidden files are interrupted uploads. */
async function storedFiles(soak: SoakStack, id: string): Promise<Map<string, string>> {
  const folder = join(soak.s3.folder, 'media', id);
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = found.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const names = paths.map((path) => relative(folder, path)).filter((name) => !/(?:^|\/)\./.test(name));
  const entries = names.map(async (name) => [name, sha256(await readFile(join(folder, name)))] as const);
  return new Map(await Promise.all(entries));
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

async function compareStored(soak: SoakStack, id: string, expected: ReadonlyMap<string, string>): Promise<string[]> {
  const stored = await storedFiles(soak, id);
  const names = new Set([...stored.keys(), ...expected.keys()]);
  return [...names].flatMap((name) => {
    if (!expected.has(name)) return [`${name} is stored, and should not be`];
    if (!stored.has(name)) return [`${name} is lost`];
    return stored.get(name) === expected.get(name) ? [] : [`${name} is not what the result says`];
  });
}

function encodeOf(
  sourceUrl: (soak: SoakStack) => string,
  outputs: readonly { name: string; [field: string]: unknown }[],
) {
  return {
    workflow: 'encode' as const,
    input: (soak: SoakStack, id: string) => ({
      sourceUrl: sourceUrl(soak),
      retry,
      outputs: outputs.map(({ name, ...output }) => ({ ...output, uploadUrl: `${prefix(id)}${name}` })),
    }),
    findProblems: async (soak: SoakStack, id: string, handle: WorkflowHandle) => {
      const outcome = EncodeOutcome.parse(await handle.result());
      const expected = outputs.map(({ name }, index) => [name, outcome.outputs[index]?.sha256 ?? ''] as const);
      return await compareStored(soak, id, new Map(expected));
    },
  };
}

/** Path of a file that the server has received for a run. */
const uploadedFile = (soak: SoakStack, id: string) => join(soak.mediaRoot, 'holdfast/uploads', id);

const uploadedEncode = encodeOf(() => '', [{ name: 'a.mp3', format: 'mp3_64' }]);
/** Uploads of open runs, by the id of the run. */
const uploads = new Map<string, string>();

const longSource = 's3://media/long.wav';
const speech = (soak: SoakStack) => `${soak.media.url}/speech.wav`;
const long = () => longSource;

const kinds: readonly SoakKind[] = [
  {
    name: 'speech over HTTP with faults',
    share: 6,
    ...encodeOf(speech, [
      { name: 'a.mp3', format: 'mp3_128' },
      { name: 'b.ogg', format: 'opus_24' },
    ]),
  },
  { name: 'long audio in segments', share: 3, ...encodeOf(long, [{ name: 'a.mp3', format: 'mp3_128' }]) },
  {
    name: 'a film',
    share: 2,
    ...encodeOf(() => 's3://media/film.mp4', [{ name: 'a.mp4', container: 'mp4', video: { crf: 30 } }]),
  },
  {
    name: 'a package',
    share: 1,
    workflow: 'encode',
    input: (_, id) => ({
      sourceUrl: 's3://media/film.mp4',
      retry,
      outputs: [{ preset: 'hls-h264', uploadUrlPrefix: prefix(id) }],
    }),
    findProblems: async (soak, id, handle) => {
      const [{ files = [] } = {}] = EncodeOutcome.parse(await handle.result()).outputs;
      const problems = files.length > 3 ? [] : [`the package has ${files.length} files`];
      const expected = new Map(files.map(({ name, sha256: sum }) => [name, sum]));
      return [...problems, ...(await compareStored(soak, id, expected))];
    },
  },
  {
    name: 'an upload to the server',
    share: 2,
    ...uploadedEncode,
    input: async (soak, id) => {
      const uploaded = await soak.client.upload(await openAsBlob(speechWav), { name: 'talk.wav', type: 'audio/wav' });
      uploads.set(id, uploaded.slice('upload:'.length));
      const sourceUrl = pathToFileURL(uploadedFile(soak, uploads.get(id) ?? '')).href;
      return { ...uploadedEncode.input(soak, id), sourceUrl };
    },
    findProblems: async (soak, id, handle) => {
      const problems = await uploadedEncode.findProblems(soak, id, handle);
      const path = uploadedFile(soak, uploads.get(id) ?? '');
      await Promise.all([rm(path), rm(`${path}.json`)]);
      uploads.delete(id);
      return problems;
    },
  },
  {
    name: 'chunks',
    share: 2,
    workflow: 'chunking',
    input: (_, id) => ({ sourceUrl: longSource, uploadUrlPrefix: prefix(id), chunkDuration, overlapDuration, retry }),
    findProblems: async (soak, id, handle) => {
      const { chunks = [], totalChunks } = ChunkingOutcome.parse(await handle.result());
      const named = chunks.map(({ url = '', sha256: sum }) => [url.slice(prefix(id).length), sum] as const);
      const stored = await storedFiles(soak, id);
      // The list of chunks; the result does not have its sum.
      const list = [...stored].filter(([name]) => !name.startsWith('chunk-'));
      const problems = totalChunks === chunkCount ? [] : [`${totalChunks} chunks and not ${chunkCount}`];
      return [...problems, ...(await compareStored(soak, id, new Map([...named, ...list])))];
    },
  },
  {
    name: 'processing with faults of the provider',
    share: 2,
    workflow: 'processing',
    input: (_, id) => ({
      sourceUrl: longSource,
      uploadUrlPrefix: prefix(id),
      chunkDuration,
      overlapDuration,
      retry,
      provider: 'test/whisper-1',
    }),
    findProblems: async (soak, id, handle) => {
      const outcome = ProcessingOutcome.parse(await handle.result());
      if (outcome.status !== 'completed') return [`it ended ${outcome.status}, ${outcome.failedChunks} chunks failed`];
      const name = outcome.transcript?.json.slice(prefix(id).length) ?? '';
      const { text } = JSON.parse(await readFile(join(soak.s3.folder, 'media', id, name), 'utf8')) as { text: string };
      // Each chunk contains its number.
      const wanted = Array.from({ length: chunkCount }, (_word, index) => `w${index}`).join(' ');
      return text === wanted ? [] : [`its transcript is "${text}"`];
    },
  },
  {
    name: 'a source that is not there',
    share: 1,
    ...encodeOf((soak) => `${soak.media.url}/missing.wav`, [{ name: 'a.mp3', format: 'mp3_128' }]),
    findProblems: async (soak, id, handle) => {
      const error: unknown = await handle.result().catch((failure: unknown) => failure);
      const type =
        error instanceof WorkflowFailedError ? (error.cause as { type?: unknown } | undefined)?.type : undefined;
      const problems = type === 'SourceNotFound' ? [] : [`it ended with ${String(type)}: ${String(error)}`];
      return [...problems, ...(await compareStored(soak, id, new Map()))];
    },
  },
  {
    name: 'cancelled in the middle',
    share: 1,
    ...encodeOf(long, [{ name: 'a.flac', format: 'flac' }]),
    meddle: async (soak, handle) => {
      const isUnderWay = async () => (await soak.stack.status(handle).catch(() => undefined))?.state !== 'queued';
      await soak.stack.worker.until('a run under way', isUnderWay, 300_000);
      await handle.cancel();
    },
    findProblems: async (soak, id, handle) => {
      const error: unknown = await handle.result().catch((failure: unknown) => failure);
      // The run may have ended first.
      if (!(error instanceof WorkflowFailedError)) return [];
      if (!(error.cause instanceof CancelledFailure)) return [`it ended with ${String(error.cause)}`];
      // A store keeps what was stored before the end of the job (docs/decisions/remove-stored-files-of-failed-jobs.md).
      const stored = await storedFiles(soak, id);
      return [...stored.keys()]
        .filter((name) => name !== 'a.flac')
        .map((name) => `${name} is stored, and should not be`);
    },
  },
];

const failing = new Set(['a source that is not there', 'cancelled in the middle']);

export function pickKind(below: (limit: number) => number): SoakKind {
  let left = below(kinds.reduce((sum, { share }) => sum + share, 0));
  const kind = kinds.find(({ share }) => (left -= share) < 0);
  if (kind === undefined) throw new Error('there are no kinds');
  return kind;
}

export async function startSoakRun(soak: SoakStack, kind: SoakKind): Promise<SoakRun> {
  const id = randomUUID();
  const input = await kind.input(soak, id);
  const handle = await soak.stack.run(kind.workflow, { ...input, webhook: soak.webhook });
  const { runId } = await handle.describe();
  const follow = async (): Promise<string[]> => {
    try {
      await kind.meddle?.(soak, handle);
      return await kind.findProblems(soak, id, handle);
    } catch (error) {
      const cause = error instanceof WorkflowFailedError ? error.cause : error;
      return [`it failed: ${String(cause)}`];
    }
  };
  return { kind: kind.name, handle, runId, succeeds: !failing.has(kind.name), problems: follow() };
}
