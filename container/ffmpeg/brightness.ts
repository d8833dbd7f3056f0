import { z } from 'zod';
import { type ProbedSideData as SideData, ProbedSideData } from './probed.ts';
import { runProbe } from './probe.ts';

/** cd/m², by the brightest pixel where a file says it, else by the screen that it was made on; undefined: neither is said (pure). */
export function brightnessOf(sideData: readonly SideData[]): number | undefined {
  const content = sideData.map(({ max_content = 0 }) => max_content).find((value) => value > 0);
  if (content !== undefined) return content;
  const screens = sideData.map(({ max_luminance = '' }) => {
    const [num = 0, den = 1] = max_luminance.split('/').map(Number);
    return num / den;
  });
  return screens.find((value) => Number.isFinite(value) && value > 0);
}

const Frames = z.object({ frames: z.array(z.object({ side_data_list: z.array(ProbedSideData).default([]) })) });

/** The same of the first picture: streams of HEVC and AV1 say it there, and many containers do not repeat it. */
export async function readBrightness(
  path: string,
  streamIndex: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const args = [
    ...['-v', 'error', '-of', 'json', '-select_streams', String(streamIndex), '-read_intervals', '%+#1'],
    ...['-show_frames', '-show_entries', 'frame_side_data=max_luminance,max_content'],
  ];
  const { stdout, failure } = await runProbe(args, path, signal, 1024 ** 2);
  // What a picture does not say is guessed; that it cannot be decoded is told by the encode.
  if (failure !== undefined) return undefined;
  const [frame] = Frames.safeParse(JSON.parse(stdout)).data?.frames ?? [];
  return brightnessOf(frame?.side_data_list ?? []);
}
