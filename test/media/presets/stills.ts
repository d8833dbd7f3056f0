/**
 * `npm run docs:stills [-- <preset> …]` makes the picture of each video preset for docs/presets.md, or of those named, with
 * real encodes of generated films.
 */
import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestContainer } from '../../support/container.ts';
import { projectRoot } from '../../support/project-files.ts';
import { filmPresets, stillOfPreset } from './film-presets.ts';

const execute = promisify(execFile);
const ffmpeg = async (...args: string[]): Promise<void> =>
  void (await execute('ffmpeg', ['-v', 'error', '-y', ...args]));

/** Size limit per picture, because one page shows all of them. */
const mostBytes = 14_500;

// Half a second of motion with detail down to single pixels.
const place = 'start_x=-0.743643887:start_y=-0.131825904:start_scale=0.016:end_scale=0.002:end_pts=60';
const scene = `mandelbrot=s=1920x1080:r=50:maxiter=1500:${place}`;
const lossless = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '4'];
const inHdr = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
const toHdr = [
  'setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv',
  'zscale=t=linear:npl=300,format=gbrpf32le',
  'zscale=p=bt2020:t=smpte2084:m=bt2020nc:r=limited:npl=300,format=yuv420p10le',
].join(',');

const container = await TestContainer.start();
try {
  await mkdir(join(projectRoot, 'docs/presets'), { recursive: true });
  const file = (name: string): string => join(container.mediaRoot, name);
  const master = ['-f', 'lavfi', '-i', scene, '-t', '0.5'];
  await ffmpeg(...master, '-r', '25', '-pix_fmt', 'yuv420p', ...lossless, file('film.mp4'));
  const fields = ['-vf', 'interlace,format=yuv420p', '-flags', '+ilme+ildct', '-x264opts', 'tff=1'];
  await ffmpeg(...master, ...lossless, ...fields, file('fields.mp4'));
  await ffmpeg('-i', file('film.mp4'), '-vf', toHdr, ...lossless, ...inHdr, file('hdr.mp4'));
  const sources: Readonly<Record<string, string>> = { 'deinterlace-web': 'fields.mp4', 'hdr-to-sdr': 'hdr.mp4' };

  const named = process.argv.slice(2);
  for (const preset of filmPresets.filter((name) => named.length === 0 || named.includes(name))) {
    const answer = await container.call('POST', '/encode', {
      sourceUrl: container.fileUrl(sources[preset] ?? 'film.mp4'),
      outputs: [{ preset, uploadUrl: container.fileUrl(preset) }],
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    const still = join(projectRoot, 'docs', stillOfPreset(preset));
    const both =
      'split[a][b];[a]scale=-2:180:flags=lanczos[c];[b]crop=180:180[d];[c]pad=iw+6:ih:0:0:white[e];[e][d]hstack';
    for (let quality = 80; quality > 0; quality -= 5) {
      const look = ['-c:v', 'libwebp', '-quality', String(quality), '-compression_level', '6'];
      await ffmpeg('-ss', '0.24', '-i', file(preset), '-filter_complex', both, '-frames:v', '1', ...look, still);
      const { size } = await stat(still);
      if (size > mostBytes) continue;
      console.log(`${preset}: ${size} bytes, quality ${quality}`);
      break;
    }
  }
} finally {
  await container.stop();
}
