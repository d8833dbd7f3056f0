import { makeOnce } from '../test/support/media.ts';

/** Input of ffmpeg: a pan over fine detail with camera grain, and pink noise. A flat test card would flatter encoders. */
export function detailedInput(height: number, seconds: number, edits: readonly string[] = []): string[] {
  const width = (height * 16) / 9;
  const detail = `testsrc2=s=${width * 1.25}x${height * 1.25}:r=25:d=${seconds},hue=h=20*t:s=1+0.3*sin(t)`;
  const [x, y] = [width / 8, height / 8];
  const pan = `crop=${width}:${height}:x='${x}+${x}*sin(t*0.7)':y='${y}+${y}*cos(t*0.5)'`;
  const pictures = [detail, pan, ...edits, 'noise=alls=8:allf=t', 'format=yuv420p'].join(',');
  const sound = `anoisesrc=c=pink:a=0.3:r=48000:d=${seconds}`;
  return ['-f', 'lavfi', '-i', pictures, '-f', 'lavfi', '-i', sound, '-ac', '2', '-c:a', 'aac', '-b:a', '192k'];
}

/** Makes the film once for each length. */
export async function makeClip(seconds: number): Promise<string> {
  const fast = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'fastdecode', '-crf', '17', '-shortest'];
  const options = { timeoutMs: 3_600_000 };
  return await makeOnce(`clip-${seconds}.mp4`, [...detailedInput(1080, seconds), ...fast], options);
}
