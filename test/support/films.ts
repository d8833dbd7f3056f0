import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { probe, words } from './media-files.ts';

const execute = promisify(execFile);
const maxBuffer = 256 * 1024 ** 2;

const run = async (args: readonly string[]) => await execute('ffmpeg', ['-nostdin', ...args], { maxBuffer });

/** A moving film as ffmpeg's input, as in `motion(2, '30000/1001')`. */
export const motion = (seconds: number, rate = '25', size = '160x90'): string[] => [
  ...['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`],
];

export const tone = (seconds: number): string[] => ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`];

/** Fast H.264 with B-frames. */
export const quickH264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-pix_fmt', 'yuv420p'];

/** Black at 25 frames a second, with a white picture and a burst of sound each second. */
export const clapFilm = (seconds: number): string[] => [
  ...['-f', 'lavfi', '-i', `color=black:s=160x90:r=25:d=${seconds},drawbox=c=white:t=fill:enable='eq(mod(n,25),12)'`],
  ...['-f', 'lavfi', '-i', `aevalsrc=if(lt(mod(t+0.52\\,1)\\,0.02)\\,0.8*cos(2*PI*1000*t)\\,0):s=48000:d=${seconds}`],
];

/** MD5 of every decoded picture of a file. */
export async function pictureHashes(path: string, filter = 'null', options: readonly string[] = []): Promise<string[]> {
  const args = ['-v', 'error', ...options, '-i', path, '-map', '0:v:0', '-vf', filter, '-fps_mode', 'passthrough'];
  const { stdout } = await run([...args, '-f', 'framemd5', '-']);
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '');
}

export interface WrittenPacket {
  /** Seconds. */
  time: number;
  decodingTime: number;
  isKey: boolean;
}

/** Packets of the pictures, in order of display. */
export async function picturePackets(path: string): Promise<WrittenPacket[]> {
  const { packets } = (await probe(path, '-select_streams', 'v:0', '-show_packets')) as {
    packets: { pts_time: string; dts_time: string; flags: string }[];
  };
  return packets
    .map((packet) => ({
      time: Number(packet.pts_time),
      decodingTime: Number(packet.dts_time),
      isKey: packet.flags.startsWith('K'),
    }))
    .toSorted((one, other) => one.time - other.time);
}

/** Times of display in seconds. */
export async function pictureTimes(path: string): Promise<number[]> {
  return (await picturePackets(path)).map(({ time }) => time);
}

/** The container's scaler, for plain ffmpeg. */
export const plainScaler = (size: string): string => `scale=${size}:flags=lanczos+accurate_rnd+full_chroma_int`;

/** Seconds at which a white picture follows another one. */
export async function flashesOf(path: string): Promise<number[]> {
  const filter = 'scale=1:1:flags=area,format=gray,showinfo';
  const { stderr } = await run([
    ...words('-v info -copyts -i'),
    path,
    ...words('-map 0:v:0 -vf'),
    filter,
    ...words('-f null -'),
  ]);
  const shown = [...stderr.matchAll(/pts_time:(-?[\d.]+) .* mean:\[(\d+)/g)].map(([, time, mean]) => ({
    time: Number(time),
    isWhite: Number(mean) > 128,
  }));
  return shown.flatMap(({ time, isWhite }, index) => (isWhite && shown[index - 1]?.isWhite !== true ? [time] : []));
}

/** Seconds at which a sound begins after silence. */
export async function clicksOf(path: string): Promise<number[]> {
  const rate = 48_000;
  const filter = ['-af', `aresample=${rate}:async=1:first_pts=0`, '-ac', '1', '-ar', String(rate)];
  const args = ['-nostdin', '-v', 'error', '-copyts', '-i', path, '-map', '0:a:0', ...filter, '-f', 's16le', '-'];
  const { stdout } = await execute('ffmpeg', args, { encoding: 'buffer', maxBuffer });
  const samples = new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
  const clicks: number[] = [];
  let silentUntil = 0;
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < 8000) continue;
    if (index >= silentUntil) clicks.push(index / rate);
    silentUntil = index + rate / 4;
  }
  return clicks;
}
