import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { toolPath } from '../../../support/tools.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { joinSegments, makePackageOf } from './packages.ts';
import { words } from '../../../support/media-files.ts';
import { rowsExcept } from '../../../support/rows.ts';

const vmaf = await toolPath('VMAF_FFMPEG_PATH');
const oneThread = fileURLToPath(new URL('../../../fixtures/ffmpeg/encodes-by-one-thread', import.meta.url));
const service = await useEncodes({ FFMPEG_PATH: oneThread });
const { file, make } = service;
const execute = promisify(execFile);

/** VMAF by a direct run of the tool, with pictures enlarged to those of the reference. */
async function vmafByHand(made: string, reference: string): Promise<number> {
  const log = file('by-hand.json');
  const graph =
    '[0:v]scale=640:360:flags=bicubic,settb=1/25,setpts=N[a];[1:v]format=yuv420p,settb=1/25,setpts=N[b];' +
    `[a][b]libvmaf=model=version=vmaf_v0.6.1:log_fmt=json:log_path=${log}`;
  await execute(vmaf, [
    ...['-nostdin', '-v', 'error', '-i', made, '-i', reference],
    ...['-filter_complex', graph, '-f', 'null', '-'],
  ]);
  const { pooled_metrics } = JSON.parse(await readFile(log, 'utf8')) as {
    pooled_metrics: { vmaf: { mean: number } };
  };
  return pooled_metrics.vmaf.mean;
}

const segmentsOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.m4s')).toSorted();

test('gives a plain film fewer renditions and lower limits than a noisy one, and reports their quality', async () => {
  const plain = ['-f', 'lavfi', '-i', 'testsrc=s=640x360:r=12.5:d=0.8'];
  const noisy = words('-f lavfi -i testsrc2=s=640x360:r=12.5:d=0.8 -vf noise=alls=16:allf=t,format=yuv420p');
  const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-pix_fmt', 'yuv420p'];
  await make('plain.mkv', ...plain, ...lossless);
  await make('noisy.mkv', ...noisy, ...lossless);
  const wanted = { package: ['hls' as const], video: { speed: 'fast' as const }, audio: false as const };
  const answers = new Map<string, Awaited<ReturnType<typeof makePackageOf>>>();
  for (const name of ['plain', 'noisy']) {
    const answer = await makePackageOf(service, `${name}.mkv`, { ...wanted, perTitle: true }, name);
    answers.set(name, answer);
    const chosen = (answer.perTitle?.tried ?? []).filter(({ isChosen }) => isChosen);
    const streams = (answer.streams ?? []).flatMap((stream) => (stream.kind === 'video' ? [stream] : []));
    expect(streams.map(({ width, height }) => [width, height])).toEqual(
      chosen.map(({ width, height }) => [width, height]),
    );
    const folders = [...new Set(answer.files?.flatMap(({ name: path }) => /^v[^/]*(?=\/)/.exec(path) ?? []))];
    expect(folders).toHaveLength(chosen.length);
    for (const [index, folder] of folders.entries()) {
      const path = file(join('out', name, folder));
      const whole = await joinSegments(path, await segmentsOf(path), file(`${name}-${folder}.mp4`));
      const found = await vmafByHand(whole, file(`${name}.mkv`));
      expect(found, `${name} ${folder}`).toBeCloseTo(chosen[index]?.vmaf ?? NaN, 1);
    }
  }
  const [ofPlain, ofNoisy] = [...answers.values()].map(({ perTitle }) => perTitle);
  const heightsOf = (facts: typeof ofPlain) => facts?.tried.flatMap((one) => (one.isChosen ? [one.height] : []));
  expect(ofPlain).toMatchObject({ model: 'vmaf_v0.6.1', targetVmaf: 95, isReached: true });
  expect(ofNoisy?.isReached).toBe(false);
  // The noisy film gets the default renditions with their full bitrates.
  expect(heightsOf(ofNoisy)).toEqual([360, 234]);
  expect(ofNoisy?.tried.flatMap(({ maxBitrate }) => maxBitrate ?? [])).toEqual([365, 145]);
  expect(heightsOf(ofPlain)).toEqual([360]);
  for (const { maxBitrate } of ofPlain?.tried.filter(({ isChosen }) => isChosen) ?? []) {
    expect(maxBitrate).toBeLessThan(365);
  }
});

// Samples of 4 s begin at 1.3, 8 and 14.7 s; the moving parts are between them.
const shown = "enable='not(between(t,5.5,7.5)+between(t,12.5,14.3))'";

test.each(
  rowsExcept(
    ['black'],
    [
      ['black', `drawbox=t=fill:c=black:${shown}`],
      ['still', `drawbox=t=fill:c=gray:${shown},drawgrid=w=16:h=16:c=white:${shown}`],
    ],
  ),
)('keeps the default renditions of a film whose samples are %s, and says so', async (name, filter) => {
  const film = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=5:d=20,noise=alls=20:allf=t'];
  await make(`${name}.mkv`, ...film, '-vf', `${filter},format=yuv420p`, '-c:v', 'libx264', '-qp', '0');
  const wanted = { package: ['hls' as const], video: { speed: 'fast' as const }, audio: false as const };
  const fitted = await makePackageOf(service, `${name}.mkv`, { ...wanted, perTitle: true }, `${name}-fitted`);
  expect(fitted.perTitle).toMatchObject({ isTelling: false, isReached: false });
  const reason = expect.stringContaining('tells nothing of the rest of the film') as string;
  for (const tried of fitted.perTitle?.tried ?? []) expect(tried).toMatchObject({ isChosen: false, reason });
  const plain = await makePackageOf(service, `${name}.mkv`, wanted, `${name}-plain`);
  expect(fitted.files).toEqual(plain.files);
});
