import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import { videoCodecFacts } from '../../../../contract/video-codecs.ts';
import { TestContainer } from '../../../support/container.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';
import { toolPath } from '../../../support/tools.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { processesNaming } from '../../../support/ffmpeg-processes.ts';
import { words } from '../../../support/media-files.ts';
import { motion, pictureHashes, plainScaler, quickH264, tone } from '../../../support/films.ts';
import { spreadBy } from '../../../support/parts.ts';
import { matrixTest } from '../../../support/rows.ts';

const vmaf = await toolPath('VMAF_FFMPEG_PATH');
const service = await useEncodes();
const { encode, encoded, file, make, outputFile } = service;
const execute = promisify(execFile);

const fast = { codec: 'h264', speed: 'fast' } as const;

interface PlainScores {
  frames: { metrics: { vmaf: number; psnr_y: number; float_ssim: number } }[];
}

/** Scores of a direct run of the tool on two files with as many pictures. */
async function scoresByHand(made: string, reference: string): Promise<PlainScores['frames']> {
  const log = file('by-hand.json');
  const graph =
    '[0:v]settb=1/25,setpts=N[a];[1:v]settb=1/25,setpts=N[b];' +
    `[a][b]libvmaf=model=version=vmaf_v0.6.1:log_fmt=json:feature=name=psnr|name=float_ssim:log_path=${log}`;
  const inputs = ['-nostdin', '-v', 'error', '-i', made, '-i', reference];
  await execute(vmaf, [...inputs, '-filter_complex', graph, '-f', 'null', '-']);
  return (JSON.parse(readFileSync(log, 'utf8')) as PlainScores).frames;
}

const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('reports the scores of a direct run of the tool, and the place of the worst second', async () => {
  // A second of noise from 1.5 s on needs the most bits, and looks worst at a low bitrate.
  const noisy = "noise=alls=60:allf=t:enable='between(t,1.5,2.5)',format=yuv420p";
  const source = await make(
    'film.mkv',
    ...motion(4, '25', '320x180'),
    ...tone(4),
    '-vf',
    noisy,
    ...words('-c:v ffv1 -c:a flac'),
  );
  const video = { ...fast, width: 160, crf: 30, maxBitrate: 100 };
  const [first, second] = (
    await encoded('film.mkv', [
      { container: 'mp4', video, quality: true, verify: 'full' },
      { container: 'mkv', video: { ...fast, crf: 23, fps: 12.5 }, quality: true },
    ])
  ).outputs;
  const scale = plainScaler('160:90');
  for (const [index, filter, output] of [
    [0, scale, first],
    [1, 'fps=12.5:start_time=0:round=near', second],
  ] as const) {
    const plain = ['-i', source, '-map', '0:v', '-vf', filter, '-fps_mode', 'passthrough', '-c:v', 'ffv1'];
    const reference = await make(`reference-${index}.mkv`, ...plain);
    const frames = await scoresByHand(outputFile('film.mkv', index), reference);
    const { quality } = output ?? {};
    for (const [name, column, decimals] of [
      ['vmaf', 'vmaf', 2],
      ['psnr', 'psnr_y', 2],
      ['ssim', 'float_ssim', 4],
    ] as const) {
      const values = frames.map(({ metrics }) => metrics[column]);
      expect(quality?.[name].mean, name).toBeCloseTo(meanOf(values), decimals - 0.5);
      expect(quality?.[name].percentile1, name).toBeCloseTo(Math.min(...values), decimals - 0.5);
    }
    expect(quality?.vmaf.model).toBe('vmaf_v0.6.1');
    const at = quality?.vmaf.worstSecond.at ?? NaN;
    const fps = index === 0 ? 25 : 12.5;
    const from = Math.round(at * fps);
    const ofSecond = frames.slice(from, from + Math.ceil(fps)).map(({ metrics }) => metrics.vmaf);
    expect(quality?.vmaf.worstSecond.value).toBeCloseTo(meanOf(ofSecond), 0);
    if (index === 0) expect(Math.abs(at - 1.5)).toBeLessThan(0.3);
  }
});

test('compares pictures of every kind one by one with the encoded ones', async () => {
  await make(
    'varying.mp4',
    ...motion(2, '30', '160x90'),
    ...['-vf', "select='mod(n,3)',tinterlace=interleave_top,setfield=tff", '-fps_mode', 'vfr', ...quickH264],
  );
  const outputs = (
    await encoded('varying.mp4', [
      { container: 'mkv', video: { codec: 'ffv1' }, quality: true },
      { container: 'mkv', video: { codec: 'hevc', speed: 'fast', pixelFormat: 'yuv420p10le' }, quality: true },
      { container: 'webm', video: { codec: 'vp9', speed: 'fast', width: 72, height: 72, fit: 'blur' }, quality: true },
      { container: 'mp4', video: { ...fast, deinterlace: true, fps: 25 }, quality: true },
    ])
  ).outputs;
  // 60 dB is the tool's maximum for 8 bits.
  expect(outputs[0]?.quality).toMatchObject({ psnr: { mean: 60, percentile1: 60 }, ssim: { mean: 1 } });
  for (const { quality } of outputs.slice(1)) {
    expect(quality?.psnr.percentile1).toBeGreaterThan(25);
    expect(quality?.ssim.percentile1).toBeGreaterThan(0.8);
  }
});

test('pools the scores of segments to exactly those of one measurement', async () => {
  const noisy = ['-vf', "noise=alls=30:allf=t:enable='between(t,1.5,2.3)',format=yuv420p"];
  await make('spread.mp4', ...motion(6, '25', '320x180'), ...noisy, ...quickH264, '-g', '25');
  const output = {
    container: 'mp4',
    video: { ...fast, crf: 32, width: 160, keyframeInterval: 2 },
    quality: true,
  } as const;
  const { segments, result } = await spreadBy(service, 'spread.mp4', [output], 2);
  expect(segments.map(({ from }) => from)).toEqual([0, 50, 100]);
  const [whole] = (await encoded('spread.mp4', [output])).outputs;
  const { worstSecondNearSeams, worstSecondElsewhere, ...vmafOfFilm } = result.outputs[0]?.quality?.vmaf ?? {};
  expect(vmafOfFilm).toEqual(whole?.quality?.vmaf);
  expect(result.outputs[0]?.quality).toMatchObject({ ...whole?.quality });
  // Only pooled scores know the seams.
  const seconds = [worstSecondNearSeams, worstSecondElsewhere].map((second) => second?.value ?? Number.NaN);
  expect(Math.min(...seconds)).toBe(whole?.quality?.vmaf.worstSecond.value);
  expect(Math.max(...seconds)).toBeGreaterThan(Math.min(...seconds));
});

matrixTest('encodes all segments with the crf that the plan finds for a quality target', async () => {
  const noisy = ['-vf', 'noise=alls=12:allf=t,format=yuv420p'];
  await make('sought.mp4', ...motion(4), ...noisy, ...quickH264, '-crf', '4', '-g', '25');
  const output = { container: 'mp4', video: { ...fast, keyframeInterval: 2 }, target: { vmaf: 88 } } as const;
  const untouched = { container: 'mp4', video: { ...fast, crf: 40, keyframeInterval: 2 } } as const;
  const { segments, result } = await spreadBy(service, 'sought.mp4', [untouched, output], 2);
  expect(segments).toHaveLength(2);
  const [other, sought] = result.outputs;
  expect(other?.target).toBeUndefined();
  const crf = sought?.target?.crf ?? Number.NaN;
  expect(sought).toMatchObject({ target: { isReached: true } });
  const [whole] = (await encoded('sought.mp4', [output])).outputs;
  expect(whole?.target).toEqual({ crf, isReached: true });
  expect(sought?.quality).toMatchObject({ ...whole?.quality });
  expect(await pictureHashes(outputFile('sought.mp4', 1))).toEqual(await pictureHashes(outputFile('sought.mp4', 0)));
});

test('gives each scene its own crf for a target per scene, also in segments', async () => {
  // After a second another scene begins, with grain.
  const cut = ["negate=enable='gte(t,1)'", "noise=alls=25:allf=t:enable='gte(t,1)'", 'format=yuv420p'].join(',');
  const film = ['-vf', cut, ...quickH264, '-crf', '4', '-g', '25', '-sc_threshold', '0'];
  const source = await make('scenes.mp4', ...motion(2), ...film);
  const output = { container: 'mp4', video: fast, target: { vmaf: 88, per: 'scene' } } as const;
  const [whole] = (await encoded('scenes.mp4', [output])).outputs;
  const { scenes } = whole?.target ?? {};
  expect(scenes?.count).toBe(2);
  expect(scenes?.greatestCrf).toBeGreaterThan((scenes?.leastCrf ?? NaN) + 1);
  expect(whole?.quality?.vmaf.mean).toBeCloseTo(88, -0.5);

  const { segments, result } = await spreadBy(service, 'scenes.mp4', [output], 1);
  expect(segments).toHaveLength(2);
  const [joined] = result.outputs;
  expect(joined?.target).toMatchObject({ crf: whole?.target?.crf, scenes: { count: 2 } });
  const frames = await scoresByHand(outputFile('scenes.mp4'), source);
  expect(joined?.quality?.vmaf.mean).toBeCloseTo(meanOf(frames.map(({ metrics }) => metrics.vmaf)), 1);
});

test('refuses a segment with a quality target if the crf of the plan is missing', async () => {
  await make('unsought.mp4', ...motion(2), ...quickH264);
  const answer = await encode('unsought.mp4', [{ container: 'mp4', video: fast, target: { vmaf: 88 } }], {
    part: { kind: 'segment', from: 0, to: 25, source: {} },
  });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
});

test('leaves no process and uploads nothing if a job is cancelled while it measures quality', async () => {
  await make('long.mkv', ...motion(20, '25', '640x360'), '-c:v', 'libx264', '-preset', 'ultrafast');
  const held = encode('long.mkv', [{ container: 'mp4', video: fast, quality: true }]);
  const { container } = service;
  const tools = async () =>
    (await processesNaming(container.scratchDir)).filter(({ command }) => command.includes(vmaf));
  await container.process.until('measuring', async () => (await tools()).length > 0);
  const [jobId] = (await container.health()).jobs;
  expect(await container.call('DELETE', `/jobs/${jobId}`)).toMatchObject({ body: { state: 'cancelled' } });
  expect(await held).toMatchObject({ status: 499, body: { code: 'cancelled' } });
  expect(await processesNaming(container.scratchDir)).toEqual([]);
  await service.expectNothingUploaded('long.mkv');
});

test('rejects pictures that are too small for the tool, and measures the smallest that it takes', async () => {
  await make('tiny.mkv', '-f', 'lavfi', '-i', 'testsrc2=s=16x48:r=25:d=0.4', ...quickH264);
  const refusal = { code: 'unsupported_format', error: expect.stringContaining('at least 18 pixels on each side') };
  const measured = { container: 'mp4', video: fast, quality: true };
  expect(await encode('tiny.mkv', [measured])).toMatchObject({ status: 422, body: refusal });
  const packaged = { package: ['hls'], perTitle: true, deliver: 'on_demand' };
  const request = { sourceUrl: service.container.fileUrl('tiny.mkv'), outputs: [packaged] };
  expect(await service.container.call('POST', '/encode', request)).toMatchObject({ status: 422, body: refusal });
  await make('small.mkv', '-f', 'lavfi', '-i', 'testsrc2=s=18x48:r=25:d=0.4', ...quickH264);
  expect(await encode('small.mkv', [measured])).toMatchObject({ body: { success: true } });
});

test('reports a missing tool, or one without libvmaf, before it fetches anything', async () => {
  const output = { container: 'mp4', video: fast, quality: true };
  const without = await stopAfterTest(TestContainer.start({ VMAF_FFMPEG_PATH: '' }));
  const answer = await encode('not-there.mkv', [output], {}, without);
  expect(answer).toMatchObject({
    status: 422,
    body: { code: 'unsupported_format', error: expect.stringContaining('npx holdfast setup-vmaf') },
  });
  const packaged = { package: ['hls'], perTitle: true, deliver: 'on_demand' };
  const request = { sourceUrl: without.fileUrl('not-there.mkv'), outputs: [packaged] };
  expect(await without.call('POST', '/encode', request)).toMatchObject({ body: { code: 'unsupported_format' } });
  const plain = (await execute('which', ['ffmpeg'])).stdout.trim();
  const wrong = await stopAfterTest(TestContainer.start({ VMAF_FFMPEG_PATH: plain }));
  expect(await wrong.call('GET', '/ready')).toMatchObject({
    status: 503,
    body: { reason: expect.stringContaining('has no libvmaf') },
  });
});

matrixTest('reaches a target by a crf that it finds from samples', { timeout: 180_000 }, async () => {
  // The film has three samples; the first is black and says nothing.
  const film = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=20,noise=alls=20:allf=t'];
  const black = "drawbox=t=fill:c=black:enable='lt(t,6)',format=yuv420p";
  await make('target.mkv', ...film, '-vf', black, '-c:v', 'libx264', '-crf', '5', '-preset', 'ultrafast');
  const [output] = (await encoded('target.mkv', [{ container: 'mp4', video: fast, target: { vmaf: 85 } }])).outputs;
  const crf = output?.target?.crf ?? NaN;
  // In the part that is not black this crf reaches the target, and the next one does not.
  const meanAt = async (tried: number) => {
    const options = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(tried), '-g', '250', '-threads', '1'];
    const part = ['-ss', '6', '-i', file('target.mkv'), '-fps_mode', 'passthrough'];
    const reference = await make('part.mkv', ...part, '-c:v', 'ffv1');
    const made = await make('tried.mkv', '-i', reference, ...options);
    return meanOf((await scoresByHand(made, reference)).map(({ metrics }) => metrics.vmaf));
  };
  expect(await meanAt(crf)).toBeGreaterThan(84);
  expect(await meanAt(crf + 1)).toBeLessThan(86);
  expect(output?.target?.isReached).toBe(true);
});

test('encodes a film whose samples are all black with the default crf', async () => {
  // The three samples end at 5.3, 12 and 18.7 s.
  const film = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=5:d=20,noise=alls=20:allf=t'];
  const black = "drawbox=t=fill:c=black:enable='not(between(t,5.5,7.5))',format=yuv420p";
  await make('black.mkv', ...film, '-vf', black, '-c:v', 'libx264', '-crf', '5', '-preset', 'ultrafast');
  const answer = await encode('black.mkv', [{ container: 'mp4', video: fast, target: { vmaf: 90 } }]);
  expect(EncodeResult.parse(answer.body).outputs[0]?.target?.crf).toBe(videoCodecFacts('h264').crf?.default);
});
