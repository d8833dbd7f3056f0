import { rm, truncate, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, pictureHashes, picturePackets, plainScaler, quickH264 } from '../../../support/films.ts';
import { pcmDigest, probe, sha256Of, words } from '../../../support/media-files.ts';
import { encodeSegments, endPart, expectKind, runPart, spreadBy } from '../../../support/parts.ts';
import { makePgs } from '../../../support/pgs.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, make, outputFile } = service;

/** A film with hard and easy scenes, grain, and a tone. */
const scenes = (seconds: number): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=25:d=${seconds},noise=alls=20:allf=t:enable='lt(mod(t,4),1.5)'`],
  ...['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`],
];

/** Encodes a film by its parts, and returns the borders of the segments. */
const spread = async (source: string, outputs: readonly DescribedOutput[], segmentSeconds: number) =>
  await spreadBy(service, source, outputs, segmentSeconds);

test('a film of joined segments has the pictures of one encoder, at the same times', async () => {
  const seconds = 12;
  const source = await make('scenes.mp4', ...scenes(seconds), ...quickH264, '-g', '100', '-c:a', 'aac');
  const outputs: DescribedOutput[] = [{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 24 } }];
  const { segments, result } = await spread('scenes.mp4', outputs, 4);
  expect(segments).toMatchObject([
    { from: 0, to: 100 },
    { from: 100, to: 200 },
    { from: 200, to: 300 },
  ]);
  expect(result.outputs[0]?.streams?.[0]).toMatchObject({ frames: seconds * 25 });

  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24', '-profile:v', 'high', '-g', '250'];
  const scaled = ['-i', source, '-map', '0:v', '-vf', plainScaler('160:90')];
  const plain = await make('plain.mp4', ...scaled, ...x264, '-threads', '1', '-force_key_frames', '4,8');
  const file = outputFile('scenes.mp4');
  expect(await pictureHashes(file)).toEqual(await pictureHashes(plain));
  expect(await picturePackets(file)).toEqual(await picturePackets(plain));
});

const hevc: DescribedOutput = { container: 'mp4', video: { codec: 'hevc', speed: 'fast', crf: 28 } };

/** Options by which ffmpeg encodes as Holdfast does. */
const x265 = words('-c:v libx265 -preset veryfast -crf 28 -g 250 -forced-idr 1 -threads 1 -flags:v +cgop -x265-params');
const x265Parameters = 'log-level=error:info=0:open-gop=0:pools=1';

test('segments that are shorter than the pictures before them have the pictures of one encoder', async () => {
  const source = await make('short.mp4', ...scenes(4), ...quickH264, '-g', '25', '-an');
  const { segments } = await spread('short.mp4', [hevc], 1);
  expect(segments).toHaveLength(4);
  const scaled = ['-i', source, '-vf', plainScaler('160:90'), ...x265, x265Parameters];
  const keys = segments.map(({ from }) => from / 25).join(',');
  const plain = await make('plain-short.mp4', ...scaled, '-force_key_frames', keys);
  expect(await pictureHashes(outputFile('short.mp4'))).toEqual(await pictureHashes(plain));
});

matrixTest.each<[string, DescribedOutput, string[], string]>([
  ['HEVC', hevc, x265, x265Parameters],
  [
    'AV1',
    { container: 'webm', video: { codec: 'av1', speed: 'fast', crf: 40, keyframeInterval: 2 } },
    words('-c:v libsvtav1 -preset 10 -crf 40 -g 50 -flags:v +cgop -svtav1-params'),
    'lp=1',
  ],
])('a film in %s has the pictures of one encoder', async (codec, output, options, parameters) => {
  const name = `${codec}.mp4`;
  const source = await make(name, ...scenes(10), ...quickH264, '-g', '50', '-c:a', 'aac');
  const { segments } = await spread(name, [output], 4);
  expect(segments.map(({ from }) => from)).toEqual([0, 100, 200].slice(0, segments.length));
  const scaled = ['-i', source, '-map', '0:v', '-vf', plainScaler('160:90')];
  const keys = ['-force_key_frames', segments.map(({ from }) => from / 25).join(',')];
  const plain = await make(`plain-${name}`, ...scaled, ...options, parameters, ...(codec === 'HEVC' ? keys : []));
  expect(await pictureHashes(outputFile(name))).toEqual(await pictureHashes(plain));
});

test('two sizes of a film and its sound come from the same segments', async () => {
  await make('sizes.mp4', ...scenes(10), ...quickH264, '-g', '50', '-c:a', 'aac');
  const video = { codec: 'vp9', speed: 'fast', crf: 40, keyframeInterval: 2 } as const;
  const outputs: DescribedOutput[] = [
    { container: 'webm', video: { ...video, height: 44 } },
    {
      container: 'mkv',
      video: { codec: 'h264', speed: 'fast', maxBitrate: 300, keyframeInterval: 2 },
      audio: { codec: 'flac' },
    },
    { format: 'mp3_128' },
  ];
  const { result } = await spread('sizes.mp4', outputs, 4);
  expect(result.outputs.map(({ streams }) => streams?.[0])).toMatchObject([
    { codec: 'vp9', height: 44, frames: 250 },
    { codec: 'h264', height: 90, frames: 250 },
    { codec: 'mp3' },
  ]);
  // A single encoder marks no default, and writes the place of the chroma.
  const shown = 'stream=chroma_location:stream_disposition=default';
  const facts = await probe(outputFile('sizes.mp4'), '-select_streams', 'v', '-show_entries', shown);
  expect(facts).toMatchObject({ streams: [{ chroma_location: 'left', disposition: { default: 0 } }] });
  const keys = (await picturePackets(outputFile('sizes.mp4', 1))).flatMap(({ isKey }, at) => (isKey ? [at] : []));
  expect(keys).toEqual(Array.from({ length: 5 }, (_, index) => index * 50));
});

test('a VP9 film of a source whose chroma is in the centre says so', async () => {
  await make('camera.mov', ...scenes(2), '-c:v', 'mjpeg', '-an');
  const video = { codec: 'vp9', speed: 'fast', crf: 40, keyframeInterval: 1 } as const;
  await spread('camera.mov', [{ container: 'webm', video }], 1);
  const place = await probe(outputFile('camera.mov'), '-show_entries', 'stream=chroma_location');
  expect(place).toMatchObject({ streams: [{ chroma_location: 'center' }] });
});

test.each<[string, string | undefined]>([
  ['the colour tags of the start of the film, although the source changes them', 'smpte170m'],
  ['no colour tags if the film starts without them, although the source adds some', undefined],
])('every segment has %s', async (_, first) => {
  const coded = [...quickH264, ...words('-bf 0 -g 50 -muxdelay 0')];
  const part = async (file: string, seconds: number, tag: string | undefined, ...more: string[]) => {
    const tags = tag === undefined ? [] : ['-colorspace', tag, '-color_primaries', tag, '-color_trc', tag];
    return await make(`${first}-${file}`, ...motion(seconds), ...coded, ...tags, ...more);
  };
  const parts = [await part('old.ts', 2, first), await part('new.ts', 22, 'bt709', '-output_ts_offset', '2')];
  const source = `${first}-changed.mp4`;
  await make(source, '-i', `concat:${parts.join('|')}`, '-c', 'copy');
  const video = { codec: 'h264', speed: 'fast', crf: 40 } as const;
  // The pictures before the second segment, which its encoder also sees, are later than the change.
  const { segments } = await spread(source, [{ container: 'mp4', video }], 12);
  expect(segments).toHaveLength(2);
  const found = await probe(outputFile(source), '-show_entries', 'stream=color_space');
  expect(found).toEqual({ programs: [], streams: [first === undefined ? {} : { color_space: first }] });
});

test('the join takes the sound that another job has brought to its loudness', async () => {
  await make('loud.mp4', ...scenes(4), ...quickH264, '-g', '50', '-c:a', 'aac');
  const outputs: DescribedOutput[] = [
    { container: 'mp4', video: { codec: 'h264', speed: 'fast', crf: 30 }, loudness: 'podcast' },
    { format: 'mp3_128', loudness: 'podcast' },
  ];
  const measurements = (): number =>
    service.container.process.logLines.filter(({ msg }) => msg === 'Measured an output').length;
  const soundOf = async (index: number): Promise<string> => await pcmDigest(outputFile('loud.mp4', index), 's16le');
  const whole = await service.encoded('loud.mp4', outputs);
  const made = [await soundOf(0), await soundOf(1)];
  const count = measurements();
  const { result } = await spread('loud.mp4', outputs, 2);
  expect([await soundOf(0), await soundOf(1)]).toEqual(made);
  expect(result.outputs.map(({ loudness }) => loudness)).toEqual(whole.outputs.map(({ loudness }) => loudness));
  expect(result.outputs[0]?.loudness?.integrated).toBeCloseTo(-16, 0);
  expect(result.source).toEqual(whole.source);
  expect(measurements()).toBe(2 * count);
});

test('a join whose sound has too few files is refused', async () => {
  await make('silent.mp4', ...scenes(4), ...quickH264);
  const { container } = service;
  const sha256 = await sha256Of(service.file('silent.mp4'));
  const file = { url: container.fileUrl('silent.mp4'), sha256 };
  const answer = await encode('silent.mp4', [{ container: 'mp4', video: { codec: 'h264' } }], {
    part: { kind: 'join', source: {}, segments: [[file], [file]], sounds: [] },
  });
  expect([answer.status, answer.body.code]).toEqual([422, 'segment_mismatch']);
  expect(answer.body.error).toContain('The sound has 0 files, and the outputs have 1 with sound.');
});

test('fades, burnt subtitles and watermarks run on the clock of the film in every segment', async () => {
  const clock = (at: number): string =>
    `00:00:${String(Math.floor(at)).padStart(2, '0')},${Math.round((at % 1) * 1000)}`;
  const cues = Array.from({ length: 3 }, (_, index) => ({ from: index + 0.41, to: index + 1.17 }));
  const subRip = cues.map(({ from, to }, index) => `${index + 1}\n${clock(from)} --> ${clock(to)}\nCue ${index}\n`);
  await writeFile(service.file('cues.srt'), subRip.join('\n'));
  await make('mark.png', ...words('-f lavfi -i color=red:s=16x16 -frames:v 1'));
  const place = { y: 60, width: 60, height: 20, colour: [235, 128, 128, 255] } as const;
  const shown = cues.map((cue, index) => ({ ...cue, ...place, x: index * 10 }));
  await writeFile(service.file('cues.sup'), makePgs(shown, { width: 160, height: 90 }));
  const tracks = ['-i', service.file('cues.sup'), ...words('-map 0 -map 1 -map 2 -c:a flac -c:s copy')];
  await make('clock.mkv', ...scenes(3), ...tracks, ...quickH264, '-g', '25');
  // One encoder has key frames at the borders without being forced to.
  const video = { codec: 'av1', speed: 'fast', crf: 40, keyframeInterval: 1 } as const;
  const outputs: DescribedOutput[] = [
    { container: 'mp4', video, audio: false, fade: { in: 1.25, out: 1.25 } },
    { container: 'mp4', video, audio: false, subtitles: { burn: { url: service.container.fileUrl('cues.srt') } } },
    { container: 'mp4', video, audio: false, subtitles: 'burn' },
    {
      ...{ container: 'mp4', video: { ...video, width: 96, height: 96, fit: 'blur' }, audio: false },
      watermark: { url: service.container.fileUrl('mark.png') },
    },
  ];
  const hashesOf = async (index: number): Promise<string[]> => await pictureHashes(outputFile('clock.mkv', index));
  await service.encoded('clock.mkv', outputs);
  const whole = await Promise.all(outputs.map((_, index) => hashesOf(index)));
  const { segments } = await spread('clock.mkv', outputs, 1);
  expect(segments).toHaveLength(3);
  const joined = await Promise.all(outputs.map((_, index) => hashesOf(index)));
  const differing = joined.map((hashes, index) =>
    hashes.flatMap((hash, at) => (hash === whole[index]?.[at] ? [] : at)),
  );
  expect(differing).toEqual([[], [], [], []]);
  expect(new Set(whole.map((hashes) => hashes.join(' '))).size).toBe(outputs.length);
});

test('a segment is refused if its watermark, its subtitles or its settings are not those of the plan', async () => {
  await make('inputs.mp4', ...scenes(4), ...quickH264, '-g', '50');
  const cue = (text: string): Promise<void> =>
    writeFile(service.file('inputs.srt'), `1\n00:00:01,000 --> 00:00:03,000\n${text}\n`);
  const mark = (colour: string) => make('inputs.png', ...words(`-f lavfi -i color=${colour}:s=16x16 -frames:v 1`));
  const { container } = service;
  const outputOf = (crf: number): DescribedOutput => ({
    ...{ container: 'mp4', video: { codec: 'h264', speed: 'fast', crf }, audio: false },
    watermark: { url: container.fileUrl('inputs.png') },
    subtitles: { burn: { url: container.fileUrl('inputs.srt') } },
  });
  await Promise.all([cue('One'), mark('red')]);
  const place = { sourceUrl: container.fileUrl('inputs.mp4'), folder: 'out/inputs' };
  const division = { segments: 2, segmentSeconds: { least: 2, most: 2 } };
  const planned = await runPart(container, place, [outputOf(30)], { kind: 'plan', leastSeconds: 0, ...division });
  const { inputsSha256 } = expectKind(planned, 'plan');
  const part = { kind: 'segment', from: 0, to: 50, source: planned.identity ?? {}, inputsSha256 } as const;
  const errorOf = async (crf = 30): Promise<string | undefined> => {
    const job = await endPart(container, place, [outputOf(crf)], part);
    return job.state === 'failed' ? job.error.code : undefined;
  };
  expect(await errorOf()).toBeUndefined();
  await mark('blue');
  expect(await errorOf()).toBe('segment_mismatch');
  await Promise.all([cue('Two'), mark('red')]);
  expect(await errorOf()).toBe('segment_mismatch');
  await cue('One');
  expect([await errorOf(), await errorOf(31)]).toEqual([undefined, 'segment_mismatch']);
});

test.each<[string, (path: string) => Promise<void>, string]>(
  rowsExcept(
    ['cut', 'emptied'],
    [
      ['removed', (path) => rm(path), 'source_not_found'],
      ['replaced', (path) => writeFile(path, 'another file'), 'checksum_mismatch'],
      ['cut', (path) => truncate(path, 1000), 'checksum_mismatch'],
      ['emptied', (path) => truncate(path, 0), 'checksum_mismatch'],
    ],
  ),
)('a join whose second segment was %s in the store names the segment', async (how, change, code) => {
  const name = `${how}.mp4`;
  await make(name, ...scenes(4), ...quickH264, '-g', '50');
  const { container } = service;
  const output: DescribedOutput = { container: 'mp4', video: { codec: 'h264', speed: 'fast' } };
  const division = { segments: 2, segmentSeconds: { least: 2, most: 2 } };
  const made = await encodeSegments(container, { sourceUrl: container.fileUrl(name), folder: how }, [output], division);
  if (made.kind === 'whole') throw new Error(made.reason);
  await change(fileURLToPath(made.join.segments[1]?.[0]?.url ?? ''));
  const answer = await encode(name, [output], { part: made.join });
  expect([answer.body.code, answer.body.details.field, answer.body.error]).toEqual([
    code,
    'part.segments',
    expect.stringMatching(/^Segment 2 could not be fetched\. The file /),
  ]);
});

test('a segment of a source that has changed is refused before it is encoded', async () => {
  await make('changed.mp4', ...scenes(4), ...quickH264);
  const part = { kind: 'segment', from: 0, to: 50, source: { size: 1, validator: 'other' } } as const;
  const { container } = service;
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl('changed.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264' }, deliver: 'on_demand' }],
    part,
  });
  expect([answer.status, answer.body.code]).toEqual([422, 'source_changed']);
});

test.each<[string, object]>([
  ['ends after the film', { from: 0, to: 1e9 }],
  ['is empty', { from: 50, to: 50 }],
])('a segment that %s is refused', async (_, range) => {
  await make('short.mp4', ...scenes(4), ...quickH264);
  const { container } = service;
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl('short.mp4'),
    outputs: [{ container: 'mp4', video: { codec: 'h264' }, deliver: 'on_demand' }],
    part: { kind: 'segment', source: {}, ...range },
  });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
});

test('files that are no segments are refused by their reason', async () => {
  await make('joined.mp4', ...scenes(4), ...quickH264);
  const { container } = service;
  const sha256 = await sha256Of(service.file('joined.mp4'));
  const file = { url: container.fileUrl('joined.mp4'), sha256 };
  const answer = await encode('joined.mp4', [{ container: 'mp4', video: { codec: 'h264' } }], {
    part: { kind: 'join', source: {}, segments: [[file], [file]] },
  });
  expect([answer.status, answer.body.code]).toEqual([422, 'segment_mismatch']);
});
