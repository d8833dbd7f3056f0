import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { TestContainer } from '../../../support/container.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';
import { words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';
import { type ServedFile, serveFile } from '../../../support/served-file.ts';
import type { Reply } from '../../transfer/ranged-source.ts';
import { endPart, expectKind, runPart } from '../../../support/parts.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';

const service = await useEncodes();

const outputs: DescribedOutput[] = [{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 28 } }];

/** A segment in the middle of 100 s at 25 pictures a second. */
const segment = { kind: 'segment', from: 1250, to: 1500 } as const;

const sources = [...motion(100), ...tone(100)];
const closed = [...quickH264, '-g', '25', '-c:a', 'aac'];
/** Packets of a film in H.264 with B-frames and AAC; most tests put them into another file. */
const packets = ['-i', await service.make('film.mp4', ...sources, ...closed), '-c', 'copy'];

/** Arguments that make a film of 100 s. */
const structures: [string, string, string[]][] = [
  ['MP4 with its index at the end and B-frames', 'end.mp4', packets],
  ['MP4 with its index at the beginning', 'start.mp4', [...packets, '-movflags', '+faststart']],
  ['MOV with PCM', 'pcm.mov', [...packets, '-c:a', 'pcm_s16le']],
  ['MP4 without B-frames and without sound', 'plain.mp4', [...sources, ...closed, '-bf', '0', '-an']],
  [
    'MP4 in fragments of a key frame each',
    'fragments.mp4',
    [...sources, ...closed, '-g', '50', '-movflags', '+frag_keyframe+empty_moov'],
  ],
  [
    'MP4 in fragments with an index of them',
    'dash.mp4',
    [...sources, ...closed, '-g', '50', '-movflags', '+frag_keyframe+dash+global_sidx'],
  ],
  [
    'MP4 with open groups of pictures',
    'open.mp4',
    [...sources, ...words('-c:v libx265 -preset ultrafast -g 25 -x265-params log-level=error:open-gop=1 -c:a aac')],
  ],
  ['MP4 whose film starts after its sound', 'late.mp4', [...sources, ...closed, '-filter:v', 'setpts=PTS+0.52/TB']],
  ['MOV of intra frames', 'intra.mov', [...sources, ...words('-c:v mjpeg -q:v 12 -pix_fmt yuvj420p -c:a aac')]],
  ['MP4 of a television size', 'lines.mp4', [...sources, ...closed, '-vf', 'scale=64:576']],
  [
    'MP4 in AV1',
    'av1.mp4',
    [...sources, ...words('-c:v libsvtav1 -preset 12 -crf 50 -g 25 -svtav1-params lp=1 -c:a aac')],
  ],
];

const serve = (name: string, reply?: (request: IncomingMessage, index: number) => Reply): Promise<ServedFile> =>
  serveFile(service, name, reply);

async function plan({ sourceUrl }: ServedFile, by = service.container) {
  const planned = await runPart(by, { sourceUrl, folder: 'plan' }, outputs, {
    kind: 'plan',
    leastSeconds: 0,
    segments: 10,
    segmentSeconds: { least: 10, most: 10 },
  });
  const { opening, encoder, segments, times } = expectKind(planned, 'plan');
  return { source: planned.identity ?? {}, opening, encoder, segments, times, bytesIn: planned.usage?.bytesIn ?? 0 };
}

async function encodeSegment({ sourceUrl }: ServedFile, part: object) {
  const result = await runPart(service.container, { sourceUrl, folder: join('out', 'segment') }, outputs, {
    ...segment,
    source: {},
    ...part,
  });
  return { files: expectKind(result, 'segment').files, bytesIn: result.usage?.bytesIn ?? 0 };
}

/** Segment and plan need 24 to 43 % of these short films. A film in small fragments needs most, for their headers. */
const share = 0.45;

async function expectEqualShare(name: string): Promise<void> {
  const planOfWhole = await plan(await serve(name, () => ({ ignoresRange: true })));
  const served = await serve(name);
  const { source, opening, segments, bytesIn } = await plan(served);
  expect({ opening, segments }).toEqual({ opening: planOfWhole.opening, segments: planOfWhole.segments });
  expect(bytesIn).toBeLessThan(planOfWhole.bytesIn * share);
  served.requests.length = 0;
  const partial = await encodeSegment(served, { source, opening });
  expect(served.requests).not.toContain('whole');
  const whole = await encodeSegment(served, { source });
  expect(partial.files).toEqual(whole.files);
  expect(partial.bytesIn).toBeLessThan(whole.bytesIn * share);
}

test.each(
  rowsExcept(
    [
      'MP4 in fragments with an index of them',
      'MOV with PCM',
      'MP4 without B-frames and without sound',
      'MP4 with its index at the beginning',
      'MOV of intra frames',
      'MP4 of a television size',
      'MP4 in AV1',
    ],
    structures,
  ),
)('%s: plan and segment read their share of the source, and are equal', async (_, name, args) => {
  await service.make(name, ...args);
  await expectEqualShare(name);
});

test('an MP4 whose edit list hides its first pictures: plan and segment read their share, and are equal', async () => {
  await service.make('hidden.mp4', '-ss', '1.3', ...packets);
  await expectEqualShare('hidden.mp4');
});

test('an MP4 with subtitles: plan and segment read their share, and are equal', async () => {
  const cues = Array.from({ length: 9 }, (_, index) => `${index}\n00:01:0${index},000 --> 00:01:0${index},500\nText\n`);
  await writeFile(service.file('texts.srt'), cues.join('\n'));
  await service.make(
    'texts.mp4',
    '-i',
    service.file('texts.srt'),
    ...packets,
    '-map',
    '0',
    '-map',
    '1',
    '-c:s',
    'mov_text',
  );
  await expectEqualShare('texts.mp4');
});

/** Clusters of such a film have one second, so that their borders cost little of a short film. */
const clusters = ['-cluster_time_limit', '1000'];

/** Arguments that make a Matroska film of 100 s. */
const matroskaFilms: [string, string, string[]][] = [
  ['Matroska with B-frames', 'film.mkv', [...packets, ...clusters]],
  ['Matroska without an index', 'live.mkv', [...packets, ...clusters, '-live', '1']],
  [
    'Matroska whose film starts after its sound',
    'late.mkv',
    [...sources, ...closed, ...clusters, '-filter:v', 'setpts=PTS+0.52/TB'],
  ],
  [
    'Matroska with open groups of pictures',
    'open.mkv',
    [
      ...sources,
      ...words('-c:v libx265 -preset ultrafast -g 25 -x265-params log-level=error:open-gop=1 -c:a aac'),
      ...clusters,
    ],
  ],
  [
    'WebM',
    'film.webm',
    [
      ...sources,
      ...words('-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 50 -b:v 0 -g 25 -c:a libopus'),
      ...clusters,
    ],
  ],
];

test.each(
  rowsExcept(
    ['Matroska whose film starts after its sound', 'Matroska with open groups of pictures', 'WebM'],
    matroskaFilms,
  ),
)('%s: a segment reads its share of the source, and is equal', async (_, name, args) => {
  await service.make(name, ...args);
  const served = await serve(name);
  const { source, opening, segments, times, bytesIn } = await plan(served);
  const range = segments[5];
  expect(bytesIn).toBeGreaterThan(served.size);
  expect(times).toBeDefined();
  served.requests.length = 0;
  const partial = await encodeSegment(served, { ...range, times, source, opening });
  expect(served.requests).not.toContain('whole');
  const whole = await encodeSegment(served, { ...range, bytes: undefined, source });
  expect(partial.files).toEqual(whole.files);
  expect(partial.bytesIn).toBeLessThan(whole.bytesIn * share);
});

test('a segment of Matroska reads the whole source if its plan has not named the bytes, and is equal', async () => {
  await service.make('unnamed.mkv', ...packets);
  const served = await serve('unnamed.mkv');
  const { source, opening } = await plan(served);
  served.requests.length = 0;
  const { files } = await encodeSegment(served, { source, opening });
  expect(served.requests).toContain('whole');
  expect(files).toEqual((await encodeSegment(served, { source })).files);
});

test.each<[string, string, string[], (request: IncomingMessage) => Reply]>([
  [
    'has many small fragments',
    'small.mp4',
    words('-movflags +frag_keyframe+empty_moov -frag_duration 200000'),
    () => ({}),
  ],
  ['comes from a server without ranges', 'unranged.mp4', [], () => ({ ignoresRange: true })],
  [
    'comes from a server that does not state the version of ranges',
    'unstated.mp4',
    [],
    ({ headers: { range } }) => (range === undefined ? {} : { headers: { etag: undefined }, matches: '"v1"' }),
  ],
])('a segment reads the whole source if it %s, and is equal', async (_, name, options, reply) => {
  await service.make(name, ...packets, ...options);
  const served = await serve(name, reply);
  const { source, opening } = await plan(served);
  served.requests.length = 0;
  const { files } = await encodeSegment(served, { source, opening });
  expect(served.requests).toContain('whole');
  expect(files).toEqual((await encodeSegment(served, { source })).files);
});

test('a segment reads the whole source if the plan has found another film in it', async () => {
  await service.make('planned.mp4', ...packets);
  const served = await serve('planned.mp4');
  const { source } = await plan(served);
  served.requests.length = 0;
  const { files } = await encodeSegment(served, { source, opening: { digest: '0'.repeat(64) } });
  expect(served.requests).toContain('whole');
  expect(files).toEqual((await encodeSegment(served, { source })).files);
});

test.each(rowsExcept([0, 4], [0, 2, 4]))(
  'a source that changes after %i ranges is refused, and not downloaded',
  async (after) => {
    await service.make('changing.mp4', ...packets);
    let changesAt = Infinity;
    const served = await serve('changing.mp4', (_, index) => (index >= changesAt ? { headers: { etag: '"v2"' } } : {}));
    const { source, opening } = await plan(served);
    served.requests.length = 0;
    changesAt = after;
    const place = { sourceUrl: served.sourceUrl, folder: join('out', 'changed') };
    const job = await endPart(service.container, place, outputs, { ...segment, source, ...(opening && { opening }) });
    expect(job).toMatchObject({ state: 'failed', error: { code: 'source_changed' } });
    // The last request only asks for the version.
    expect(served.requests.indexOf('whole')).toBe(served.requests.length - 1);
    await service.expectNothingUploaded('changed');
  },
);

/** Starts a container with a program of test/fixtures/ffmpeg as its ffmpeg. */
async function withFfmpeg(name: string, body: (other: TestContainer) => Promise<void>): Promise<void> {
  const path = fileURLToPath(new URL(`../../../fixtures/ffmpeg/${name}`, import.meta.url));
  const other = await stopAfterTest(TestContainer.start({ FFMPEG_PATH: path }));
  await body(other);
}

test('a container with other encoders refuses a segment, and takes part in everything else', async () => {
  await withFfmpeg('is-another-build', async (other) => {
    await service.make('fleet.mp4', ...motion(20), ...closed, '-an');
    const served = await serve('fleet.mp4');
    const { source, encoder = '' } = await plan(served);
    expect(encoder).toMatch(/^[0-9a-f]{16}$/);
    const part = { kind: 'segment', from: 0, to: 250, source, encoder } as const;
    const request = {
      sourceUrl: served.sourceUrl,
      outputs: outputs.map((output) => ({ ...output, deliver: 'on_demand' })),
      part,
    };
    served.requests.length = 0;
    const refused = await other.call('POST', '/encode', request);
    expect([refused.status, refused.body.code]).toEqual([409, 'other_encoder']);
    expect(served.requests).toEqual([]);
    await runPart(service.container, { sourceUrl: served.sourceUrl, folder: 'fleet' }, outputs, part);
    expect((await plan(served, other)).encoder).not.toBe(encoder);
  });
});

test('a plan whose film fades names its encoders in a way that containers of older versions refuse', async () => {
  await service.make('fading.mp4', ...motion(20), ...closed, '-an');
  const { sourceUrl } = await serve('fading.mp4');
  const fading = outputs.map((output) => ({ ...output, fade: { in: 1 } }));
  const division = { segments: 2, segmentSeconds: { least: 10, most: 10 } };
  const place = { sourceUrl, folder: 'fading' };
  const planned = await runPart(service.container, place, fading, { kind: 'plan', leastSeconds: 0, ...division });
  const { encoder = '' } = expectKind(planned, 'plan');
  expect(encoder).toMatch(/^[0-9a-f]{16}\+film-clock$/);
  const part = { kind: 'segment', from: 0, to: 250, source: planned.identity ?? {} } as const;
  await runPart(service.container, place, fading, { ...part, encoder });
  const request = { sourceUrl, outputs: fading.map((output) => ({ ...output, deliver: 'on_demand' })) };
  const others = { ...request, part: { ...part, encoder: encoder.replace(/^./, 'x') } };
  expect(await service.container.call('POST', '/encode', others)).toMatchObject({
    status: 409,
    body: { code: 'other_encoder' },
  });
});

test('a container whose encoders cannot be tried makes the plan, but no segment of another container’s plan', async () => {
  await withFfmpeg('has-no-memory-for-trials', async (other) => {
    await service.make('untried.mp4', ...motion(20), ...closed, '-an');
    const served = await serve('untried.mp4');
    const { source, encoder, segments } = await plan(served, other);
    expect(encoder).toBeUndefined();
    expect(segments).toEqual((await plan(served)).segments);
    const refused = await other.call('POST', '/encode', {
      sourceUrl: served.sourceUrl,
      outputs: outputs.map((output) => ({ ...output, deliver: 'on_demand' })),
      part: { kind: 'segment', from: 0, to: 250, source, encoder: 'known' },
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'other_encoder']);
  });
});
