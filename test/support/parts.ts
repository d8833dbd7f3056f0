import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EncodeResult } from '../../contract/http/encode.ts';
import type { JobView } from '../../contract/http/job.ts';
import type { DescribedOutput } from '../../contract/http/output.ts';
import type { EncodePart, PartResult, SegmentLink, SegmentRange } from '../../contract/http/part.ts';
import type { TestContainer } from './container.ts';
import type { Encodes } from './encodes.ts';

/** Sends a part of an encode, stores its files in a folder under the media root, and returns the ended job. */
export async function endPart(
  container: TestContainer,
  { sourceUrl, folder }: { sourceUrl: string; folder: string },
  outputs: readonly DescribedOutput[],
  part: EncodePart,
): Promise<JobView> {
  const request = { sourceUrl, outputs: outputs.map((output) => ({ ...output, deliver: 'on_demand' })), part };
  const accepted = await container.call('POST', '/encode', request, { prefer: 'respond-async' });
  if (accepted.status !== 202) throw new Error(`${accepted.status} ${JSON.stringify(accepted.body)}`);
  const { jobId } = accepted.body as { jobId: string };
  for (;;) {
    const job = (await container.call('GET', `/jobs/${jobId}`)).body as JobView;
    if (job.state !== 'running') return job;
    const urls = (job.wanted ?? []).map(({ output, name }) => {
      return { output, name, url: container.fileUrl(join(folder, name)) };
    });
    if (urls.length > 0) await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls });
    await delay(50);
  }
}

/** Runs a part that succeeds. */
export async function runPart(...args: Parameters<typeof endPart>): Promise<EncodeResult> {
  const job = await endPart(...args);
  if (job.state !== 'succeeded') throw new Error(JSON.stringify(job));
  return EncodeResult.parse(job.result);
}

export function expectKind<Kind extends PartResult['kind']>(
  { part }: EncodeResult,
  kind: Kind,
): Extract<PartResult, { kind: Kind }> {
  if (part?.kind !== kind) throw new Error(`the part is ${JSON.stringify(part)}`);
  return part as Extract<PartResult, { kind: Kind }>;
}

/** Lengths of the segments in seconds, and their number within these. */
type Division = Pick<Extract<EncodePart, { kind: 'plan' }>, 'segments' | 'segmentSeconds'>;

type SpreadSegments =
  | { kind: 'segments'; segments: SegmentRange[]; join: Extract<EncodePart, { kind: 'join' }> }
  | { kind: 'whole'; reason: string };

/**
 * Plans a file and encodes its segments, as the workflow does. Returns the borders and the part that joins the
 * segments, or the reason why the plan does not divide the file.
 */
export async function encodeSegments(
  container: TestContainer,
  { sourceUrl, folder }: { sourceUrl: string; folder: string },
  outputs: readonly DescribedOutput[],
  division: Division,
): Promise<SpreadSegments> {
  const runOf = async (part: EncodePart, name: string): Promise<EncodeResult> =>
    await runPart(container, { sourceUrl, folder: join(folder, name) }, outputs, part);
  const planned = await runOf({ kind: 'plan', leastSeconds: 0, ...division }, 'plan');
  if (planned.part?.kind === 'whole') return planned.part;
  const { segments, films, sounds, opening, encoder, inputsSha256, crfs, times } = expectKind(planned, 'plan');
  const source = planned.identity ?? {};
  const linkOf = (name: string, file: string): string => container.fileUrl(join(folder, name, file));
  const links: SegmentLink[][] = [];
  for (const [index, range] of segments.entries()) {
    const { from, to } = range;
    const name = `segment-${index}`;
    const part = { kind: 'segment', ...range, source, opening, encoder, inputsSha256, crfs, times } as const;
    const { files } = expectKind(await runOf(part, name), 'segment');
    if (files.length !== films || files.some(({ frames }) => frames !== to - from)) {
      throw new Error(`segment ${index} of ${films} films from ${from} to ${to} has ${JSON.stringify(files)}`);
    }
    links.push(
      files.map(({ name: file, sha256, sound }) => {
        return { url: linkOf(name, file), sha256, ...(sound !== undefined && { sound }) };
      }),
    );
  }
  const joining = { kind: 'join', source, segments: links, crfs } as const;
  if (sounds === undefined) return { kind: 'segments', segments, join: joining };
  const { files } = expectKind(await runOf({ kind: 'sound', source, inputsSha256 }, 'sound'), 'sound');
  if (files.length !== sounds) throw new Error(`the sound has ${files.length} files instead of ${sounds}`);
  const made = files.map((file) => ({ url: linkOf('sound', file.name), sha256: file.sha256, made: file.made }));
  return { kind: 'segments', segments, join: { ...joining, sounds: made } };
}

/** Encodes a file by its parts to `out/<source>/<index>`, and returns the borders of the segments. */
export async function spreadBy(
  { container, encoded }: Encodes,
  source: string,
  outputs: readonly DescribedOutput[],
  segmentSeconds: number,
) {
  const place = { sourceUrl: container.fileUrl(source), folder: join('out', source) };
  const division = { segments: 2, segmentSeconds: { least: segmentSeconds, most: segmentSeconds } };
  const made = await encodeSegments(container, place, outputs, division);
  if (made.kind === 'whole') throw new Error(made.reason);
  return { segments: made.segments, result: await encoded(source, outputs, { part: made.join }) };
}
