import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useEncodes } from '../../../support/encodes.ts';
import { pictureHashes, plainScaler, quickH264, tone } from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const execute = promisify(execFile);
const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const lossless = ['-c:v', 'ffv1'];

/** Grainy moving pictures, as ffmpeg's input. */
function grain(seconds: number, pixelFormat = 'yuv420p'): string[] {
  const noise = 'noise=alls=16:allf=t:all_seed=1';
  return ['-f', 'lavfi', '-i', `testsrc2=s=160x96:r=25:d=${seconds},${noise},format=${pixelFormat}`];
}

/** Lowest PSNR of a picture against a reference, in dB. */
async function leastLikeness(path: string, reference: string): Promise<number> {
  const ordered = 'settb=1/25,setpts=N';
  const graph = `[0:v]${ordered}[a];[1:v]${ordered}[b];[a][b]psnr=stats_file=-`;
  const { stdout } = await execute('ffmpeg', [
    '-v',
    'error',
    '-i',
    path,
    '-i',
    reference,
    '-lavfi',
    graph,
    '-f',
    'null',
    '-',
  ]);
  return Math.min(
    ...[...stdout.matchAll(/psnr_avg:(\S+)/g)].map(([, psnr]) => Number(psnr === 'inf' ? Infinity : psnr)),
  );
}

test.each<[string, string, object, string]>(
  rowsExcept(
    ['lightly denoises', 'strongly denoises', 'lightly sharpens', 'sharpens and then pads'],
    [
      ['lightly denoises', 'yuv420p', { denoise: 'light' }, 'hqdn3d=6'],
      ['denoises', 'yuv420p', { denoise: 'medium' }, 'hqdn3d=10'],
      ['strongly denoises', 'yuv420p', { denoise: 'strong' }, 'hqdn3d=20'],
      ['denoises the 10 bits of', 'yuv422p10le', { denoise: 'medium' }, 'hqdn3d=10'],
      [
        'deinterlaces, then denoises, then scales',
        'yuv420p',
        { denoise: 'medium', deinterlace: true, width: 80, height: 48 },
        `bwdif=mode=send_frame:deint=all,hqdn3d=10,${plainScaler('80:48')}`,
      ],
      [
        'denoises red, green and blue of',
        'gbrp',
        { denoise: 'medium', pixelFormat: 'yuv444p' },
        `scale=out_color_matrix=bt709:out_range=tv,format=yuv444p16le,hqdn3d=10,scale=in_color_matrix=bt709:in_range=tv,format=gbrp16le,${plainScaler('160:96')}:out_color_matrix=bt709:out_range=tv,format=yuv444p`,
      ],
      ['lightly sharpens', 'yuv420p', { sharpen: 'light' }, 'unsharp=5:5:0.4'],
      ['sharpens', 'yuv422p10le', { sharpen: 'medium' }, 'unsharp=5:5:0.8'],
      [
        'denoises, then scales, then sharpens',
        'yuv420p',
        { denoise: 'light', sharpen: 'strong', width: 80, height: 48 },
        `hqdn3d=6,${plainScaler('80:48')},unsharp=5:5:1.2`,
      ],
      [
        'sharpens and then pads',
        'yuv420p',
        { sharpen: 'strong', width: 80, height: 80, pad: 'black' },
        `${plainScaler('80:48')},unsharp=5:5:1.2,pad=80:80:0:16`,
      ],
    ],
  ),
)('%s a film in %s as plain ffmpeg does', async (_, pixelFormat, video, filter) => {
  await make('grain.mkv', ...grain(0.4, pixelFormat), ...lossless);
  await encoded('grain.mkv', [{ container: 'mkv', video: { codec: 'ffv1', ...video } }]);
  expect(await pictureHashes(outputFile('grain.mkv'))).toEqual(await pictureHashes(service.file('grain.mkv'), filter));
});

test.each(
  rowsExcept(['key frames alone'], [
    ['groups of 25 pictures', [...quickH264, '-crf', '1', '-g', '25'], 50],
    ['key frames alone', lossless, 38],
  ] as const),
)('denoises a part of a film of %s as it does the whole film', async (_, codec, least) => {
  await make('long.mkv', ...grain(5), ...codec);
  const video = { codec: 'ffv1', denoise: 'strong' } as const;
  await encoded('long.mkv', [{ container: 'mkv', video, trim: { start: 4, end: 4.4 } }]);
  const whole = ['-i', service.file('long.mkv'), '-vf', 'hqdn3d=20,trim=start_frame=100:end_frame=110'];
  const reference = await make('reference.mkv', ...whole, ...lossless);
  expect(await leastLikeness(outputFile('long.mkv'), reference)).toBeGreaterThan(least);
});

test.each(
  rowsExcept(['sharpen'], [
    ['denoise', 'its pictures are denoised'],
    ['sharpen', 'its pictures are sharpened'],
  ] as const),
)('encodes pictures with "%s" instead of copying them, and says why', async (field, reason) => {
  await make('plain.mkv', ...grain(0.4), ...tone(0.4), ...quickH264, '-c:a', 'aac');
  const video = { copy: true, [field]: 'light' as const };
  const { outputs } = await encoded('plain.mkv', [{ container: 'mkv', video, audio: { copy: true } }]);
  expect(outputs).toMatchObject([{ streams: [{ notCopied: reason }, { copied: true }] }]);
});

test.each(
  rowsExcept(['sharpen'], [
    ['denoise', 'pictures of bgr0 cannot be denoised; set a pixelFormat'],
    ['sharpen', 'pictures of bgr0 cannot be sharpened; set a pixelFormat'],
  ] as const),
)('refuses "%s" of an unknown strength, or beside RGB pictures that stay as they are', async (field, sentence) => {
  await make('rgb.mkv', ...grain(0.2, 'bgr0'), ...lossless);
  const answerTo = async (filter: object) =>
    (await encode('rgb.mkv', [{ container: 'mkv', video: { codec: 'ffv1', ...filter } }])).body;
  expect(await answerTo({ [field]: 'extreme' })).toMatchObject({ code: 'invalid_request' });
  expect(await answerTo({ [field]: 'light' })).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining(sentence),
  });
});
