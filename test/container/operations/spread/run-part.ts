import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import type { JobView } from '../../../../contract/http/job.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import type { EncodePart, PartResult, SegmentLink } from '../../../../contract/http/part.ts';
import type { TestContainer } from '../../../support/container.ts';
import type { Encodes } from '../../../support/encodes.ts';

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

/** Encodes a file by its parts to `out/<source>/<index>`, and returns the borders of the segments. */
export async function spreadBy(
  { container, encoded }: Encodes,
  source: string,
  outputs: readonly DescribedOutput[],
  segmentSeconds: number,
) {
  const runOf = async (part: EncodePart, folder: string): Promise<EncodeResult> =>
    await runPart(
      container,
      { sourceUrl: container.fileUrl(source), folder: join('out', source, folder) },
      outputs,
      part,
    );
  const limits = { least: segmentSeconds, most: segmentSeconds };
  const planned = await runOf({ kind: 'plan', leastSeconds: 0, segments: 2, segmentSeconds: limits }, 'plan');
  const { segments, films, crfs } = expectKind(planned, 'plan');
  const identity = planned.identity ?? {};
  const links: SegmentLink[][] = [];
  for (const [index, { from, to }] of segments.entries()) {
    const folder = `segment-${index}`;
    const part = { kind: 'segment', from, to, source: identity, crfs } as const;
    const { files } = expectKind(await runOf(part, folder), 'segment');
    expect(files.map(({ frames }) => frames)).toEqual(Array<number>(films).fill(to - from));
    links.push(
      files.map(({ name, sha256, sound }) => {
        const url = container.fileUrl(join('out', source, folder, name));
        return { url, sha256, ...(sound !== undefined && { sound }) };
      }),
    );
  }
  const result = await encoded(source, outputs, { part: { kind: 'join', source: identity, segments: links, crfs } });
  return { segments, result };
}
