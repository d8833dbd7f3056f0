import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import type { EncodePart, PartResult, SegmentFile } from '../../../../contract/http/part.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pictureHashes, picturePackets, plainScaler, quickH264 } from '../../../support/films.ts';

const service = useEncodes();
const { encode, make, outputFile } = service;

/** A film with hard and easy scenes, grain, and a tone. */
const scenes = (seconds: number, size = '320x180'): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25:d=${seconds},noise=alls=20:allf=t:enable='lt(mod(t,4),1.5)'`],
  ...['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`],
];

/** Sends a part of an encode, and stores its files under `out/<source>/<folder>`. */
async function runPart(source: string, outputs: readonly DescribedOutput[], part: EncodePart, folder = 'part') {
  const { container } = service;
  const request = {
    sourceUrl: container.fileUrl(source),
    outputs: outputs.map((output) => ({ ...output, deliver: 'on_demand' })),
    part,
  };
  const accepted = await container.call('POST', '/encode', request, { prefer: 'respond-async' });
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(202);
  const { jobId } = accepted.body as { jobId: string };
  await expect
    .poll(async () => {
      const { body: job } = await container.call('GET', `/jobs/${jobId}`);
      const wanted = (job.wanted ?? []) as { output: number; name: string }[];
      const urls = wanted.map(({ output, name }) => {
        return { output, name, url: container.fileUrl(join('out', source, folder, name)) };
      });
      if (urls.length > 0) await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls });
      return job.state;
    })
    .not.toBe('running');
  const { body: job } = await container.call('GET', `/jobs/${jobId}`);
  expect(job.error).toBeUndefined();
  return EncodeResult.parse(job.result);
}

function expectKind<Kind extends PartResult['kind']>(
  { part }: EncodeResult,
  kind: Kind,
): Extract<PartResult, { kind: Kind }> {
  if (part?.kind !== kind) throw new Error(`the part is ${JSON.stringify(part)}`);
  return part as Extract<PartResult, { kind: Kind }>;
}

/** Encodes a film by its parts, and returns the borders of the segments. */
async function spread(source: string, outputs: readonly DescribedOutput[], segmentSeconds: number) {
  const planned = await runPart(source, outputs, {
    kind: 'plan',
    leastSeconds: 0,
    segments: 2,
    segmentSeconds: { least: segmentSeconds, most: segmentSeconds },
  });
  const { segments } = expectKind(planned, 'plan');
  const identity = planned.identity ?? {};
  const files: SegmentFile[][] = [];
  for (const [index, { from, to }] of segments.entries()) {
    const part = { kind: 'segment', from, to, source: identity } as const;
    files.push(expectKind(await runPart(source, outputs, part, `segment-${index}`), 'segment').files);
  }
  const links = files.map((segment, index) =>
    segment.map(({ name, sha256 }) => ({
      url: service.container.fileUrl(join('out', source, `segment-${index}`, name)),
      sha256,
    })),
  );
  const answer = await encode(source, outputs, { part: { kind: 'join', source: identity, segments: links } });
  expect(answer.body).toEqual(expect.objectContaining({ success: true }));
  return { segments, result: EncodeResult.parse(answer.body) };
}

test('a film of joined segments has the pictures of one encoder, at the same times', async () => {
  const seconds = 30;
  const source = await make('scenes.mp4', ...scenes(seconds), ...quickH264, '-g', '100', '-c:a', 'aac');
  const outputs: DescribedOutput[] = [{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 24 } }];
  const { segments, result } = await spread('scenes.mp4', outputs, 8);
  expect(segments).toEqual([
    { from: 0, to: 200 },
    { from: 200, to: 400 },
    { from: 400, to: 600 },
    { from: 600, to: 750 },
  ]);
  expect(result.outputs[0]?.streams?.[0]).toMatchObject({ frames: seconds * 25 });

  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24', '-profile:v', 'high', '-g', '250'];
  const scaled = ['-i', source, '-map', '0:v', '-vf', plainScaler('320:180')];
  const plain = await make('plain.mp4', ...scaled, ...x264, '-threads', '1', '-force_key_frames', '8,16,24');
  const file = outputFile('scenes.mp4');
  expect(await pictureHashes(file)).toEqual(await pictureHashes(plain));
  expect(await picturePackets(file)).toEqual(await picturePackets(plain));
});
