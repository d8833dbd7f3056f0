import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../test/support/process.ts';

/** Pans over a picture with fine detail and camera grain: a flat test card would flatter every encoder. */
export async function makeClip(folder: string, seconds: number): Promise<string> {
  const path = join(folder, `clip-${seconds}.mp4`);
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  await mkdir(folder, { recursive: true });
  const detail = `testsrc2=s=2400x1350:r=25:d=${seconds},hue=h=20*t:s=1+0.3*sin(t)`;
  const pan = "crop=1920:1080:x='240+240*sin(t*0.7)':y='135+135*cos(t*0.5)'";
  const partial = `${path}.partial.mp4`;
  const { code, output } = await run(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i', `${detail},${pan},noise=alls=8:allf=t,format=yuv420p`],
      ...[
        '-f',
        'lavfi',
        '-i',
        `anoisesrc=c=pink:a=0.3:r=48000:d=${seconds}`,
        '-ac',
        '2',
        '-c:a',
        'aac',
        '-b:a',
        '192k',
      ],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'fastdecode', '-crf', '17', '-shortest', partial],
    ],
    { timeoutMs: 3_600_000 },
  );
  if (code !== 0) throw new Error(output);
  await run('mv', [partial, path]);
  return path;
}
