import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { planChunks } from '../../contract/chunk-plan.ts';
import { ChunkResult } from '../../contract/http/chunk.ts';
import { EncodeResult } from '../../contract/http/encode.ts';
import type { Answer, TestContainer } from '../support/container.ts';
import type { Kind, Outcome } from './kind.ts';
import { fileOf, type Recipe } from './recipe.ts';
import { Reference } from './reference.ts';
import { decodePlainly, formatOf, partOf, secondsOf, type Sound } from './sound.ts';
import {
  compareChunk,
  comparePlaces,
  compareSamples,
  formatFaults,
  lengthFaults,
  mostEncoderLagSeconds,
  mostSecondsOff,
  together,
  type Verdict,
} from './verdict.ts';

export interface KindResult {
  kind: Kind;
  encode: Verdict;
  chunk: Verdict;
}

/** Encodes and cuts a source of a kind and compares the results with the kind's expectations. */
export async function checkKind(kind: Kind, container: TestContainer): Promise<KindResult> {
  const reference = new Reference(kind);
  const encode = await inKindFolder(
    kind.source,
    container,
    async (folder) => await checkEncode(kind, reference, folder),
  );
  const chunk = await inKindFolder(
    kind.source,
    container,
    async (folder) => await checkChunks(kind, reference, folder),
  );
  return { kind, encode, chunk };
}

/** A folder under the media root for one source and its outputs. */
interface KindFolder {
  container: TestContainer;
  url(name: string): string;
  path(name: string): string;
}

async function inKindFolder(source: Recipe, container: TestContainer, use: (folder: KindFolder) => Promise<Verdict>) {
  const folder = randomUUID();
  const path = (name: string): string => join(container.mediaRoot, folder, name);
  await mkdir(path(''));
  try {
    // Linking works because both folders are in the system's temp folder.
    await link(await fileOf(source), path('source'));
    return await use({ container, path, url: (name) => container.fileUrl(`${folder}/${name}`) });
  } finally {
    await rm(path(''), { recursive: true });
  }
}

const formats = ['wav', 'flac', 'mp3'];

async function checkEncode({ encode: outcome }: Kind, reference: Reference, folder: KindFolder): Promise<Verdict> {
  const answer = await folder.container.call('POST', '/encode', {
    sourceUrl: folder.url('source'),
    outputs: formats.map((format) => ({ format, uploadUrl: folder.url(format) })),
  });
  if (outcome.kind === 'refused') return await checkRefusal(answer, outcome.code, folder);
  if (answer.status !== 200) return refusedInstead(answer);
  const { source, outputs } = EncodeResult.parse(answer.body);
  const sourceFormat = await reference.format();
  const verdicts = outputs.map(async ({ format = '', duration = Number.NaN, channels = 0, sampleRate = 0 }) => {
    const wanted = await reference.in({ channels, sampleRate });
    const made = await decodePlainly(folder.path(format), { channels, sampleRate });
    const verdict = compareOutput(format, made, wanted, outcome);
    const faults = lengthFaults(duration, secondsOf(wanted));
    // mp3 supports at most two channels and fewer sample rates.
    if (format !== 'mp3') faults.push(...formatFaults({ channels, sampleRate }, sourceFormat));
    return [format, { ...verdict, faults: [...faults, ...verdict.faults] }] as const;
  });
  const { faults, found } = together(await Promise.all(verdicts));
  return { faults: [...formatFaults(source, sourceFormat).map((fault) => `source: ${fault}`), ...faults], found };
}

function compareOutput(format: string, made: Sound, wanted: Sound, outcome: Outcome): Verdict {
  if (outcome.kind === 'placed') return comparePlaces(made, wanted, mostSecondsOff);
  if (format !== 'mp3') return compareSamples(made, wanted, outcome);
  // The table reports the accuracy of the lossless outputs.
  return { ...comparePlaces(made, wanted, mostEncoderLagSeconds), found: '' };
}

const figures = { chunkDuration: 2.5, overlapDuration: 0.5 };

async function checkChunks({ chunk: outcome }: Kind, reference: Reference, folder: KindFolder): Promise<Verdict> {
  const isRefused = outcome.kind === 'refused';
  const sound = isRefused ? undefined : await reference.in(await reference.format());
  const seconds = sound === undefined ? 1 : secondsOf(sound);
  const planned = planChunks(seconds, figures.chunkDuration, figures.overlapDuration);
  const answer = await folder.container.call('POST', '/chunk', {
    sourceUrl: folder.url('source'),
    ...figures,
    chunks: planned.map(({ index }) => ({ index, uploadUrl: folder.url(`chunk-${index}`) })),
  });
  if (isRefused) return await checkRefusal(answer, outcome.code, folder);
  if (answer.status !== 200 || sound === undefined) return refusedInstead(answer);
  const { totalDuration } = ChunkResult.parse(answer.body);
  const verdicts = planned.map(async ({ index, start, duration }) => {
    const path = folder.path(`chunk-${index}`);
    if (outcome.kind === 'placed')
      return [`chunk ${index}`, compareChunk(await decodePlainly(path, sound), sound, start, duration)] as const;
    const made = await decodePlainly(path, await formatOf(path));
    return [`chunk ${index}`, compareSamples(made, partOf(sound, start, duration), outcome)] as const;
  });
  const { faults, found } = together(await Promise.all(verdicts));
  return { faults: [...lengthFaults(totalDuration, seconds), ...faults], found };
}

async function checkRefusal({ status, body }: Answer, code: string, folder: KindFolder): Promise<Verdict> {
  const faults: string[] = [];
  if (status === 200) faults.push(`is a success instead of ${code}`);
  else if (body.code !== code) faults.push(`is ${body.code} instead of ${code}`);
  const uploaded = (await readdir(folder.path(''))).filter((name) => name !== 'source');
  if (status !== 200 && uploaded.length > 0) faults.push(`is refused, and ${uploaded.join(', ')} uploaded`);
  return { faults, found: `refused: \`${code}\`` };
}

function refusedInstead({ body }: Answer): Verdict {
  return { faults: [`is refused: ${body.code}: ${body.error}`], found: 'refused' };
}
