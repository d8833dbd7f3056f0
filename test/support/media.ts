import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './process.ts';

/** test/fixtures/media/README.md gives their origin. */
export const speechWav = fileURLToPath(new URL('../../examples/talk.wav', import.meta.url));
export const musicOgg = fileURLToPath(new URL('../fixtures/media/music.ogg', import.meta.url));

const cacheFolder = join(tmpdir(), 'holdfast-test-media');

/** Makes a file in the system's temp folder, unless it exists there. ffmpeg has two minutes by default. */
export async function makeOnce(
  name: string,
  ffmpegArguments: readonly string[],
  options?: { timeoutMs: number },
): Promise<string> {
  const path = join(cacheFolder, name);
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  await mkdir(cacheFolder, { recursive: true });
  // Two tests may make the file at the same time.
  const partial = join(cacheFolder, `${randomUUID()}-${name}`);
  const { code, output } = await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...ffmpegArguments, partial], options);
  if (code !== 0) {
    await rm(partial, { force: true });
    throw new Error(`ffmpeg could not make ${name}: ${output}`);
  }
  await rename(partial, path);
  return path;
}

export interface LongWav {
  seconds: number;
  /** Default: 1. */
  channels?: number;
  /** Hz; default: 44,100. */
  sampleRate?: number;
  /** Default: the speech fixture. */
  source?: string;
}

/** A WAV of exactly this length that repeats the fixture; it is cached for other tests. */
export async function longWav({ seconds, channels = 1, sampleRate = 44_100, source = speechWav }: LongWav) {
  const kind = source === musicOgg ? 'music' : 'speech';
  const args = ['-stream_loop', '-1', '-i', source, '-t', `${seconds}`, '-ac', `${channels}`, '-ar', `${sampleRate}`];
  return await makeOnce(`${kind}-${seconds}s-${channels}ch-${sampleRate}.wav`, [...args, '-c:a', 'pcm_s16le']);
}

export interface ProbedAudio {
  codec: string;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** seconds */
  duration: number;
  /** Container format, by ffprobe's name. */
  format: string;
}

export async function probeAudio(path: string): Promise<ProbedAudio> {
  const entries = 'format=duration,format_name:stream=codec_name,codec_type,channels,sample_rate,duration';
  const { code, output } = await run('ffprobe', ['-v', 'error', '-show_entries', entries, '-of', 'json', path]);
  if (code !== 0) throw new Error(`ffprobe refuses ${path}: ${output}`);
  const facts = JSON.parse(output) as {
    format: { duration?: string; format_name: string };
    streams: { codec_type: string; codec_name: string; channels: number; sample_rate: string; duration?: string }[];
  };
  const audio = facts.streams.find((stream) => stream.codec_type === 'audio');
  if (audio === undefined) throw new Error(`${path} holds no audio`);
  return {
    codec: audio.codec_name,
    channels: audio.channels,
    sampleRate: Number(audio.sample_rate),
    duration: Number(facts.format.duration ?? audio.duration),
    format: facts.format.format_name,
  };
}
