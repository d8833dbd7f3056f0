import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Decoded, interleaved samples. */
export interface Sound {
  samples: Float32Array;
  channels: number;
  /** Hz */
  sampleRate: number;
}

export interface SoundFormat {
  channels: number;
  /** Hz */
  sampleRate: number;
}

/** Decodes a file with plain ffmpeg, without any filter, guard or option of Holdfast. */
export async function decodePlainly(path: string, { channels, sampleRate }: SoundFormat): Promise<Sound> {
  const target = ['-map', '0:a:0', '-ac', String(channels), '-ar', String(sampleRate), '-f', 'f32le', '-'];
  const { stdout } = await execute('ffmpeg', ['-v', 'error', '-nostdin', '-i', path, ...target], {
    encoding: 'buffer',
    maxBuffer: 512 * 1024 ** 2,
  });
  // A copy, because a Float32Array must start at a multiple of four bytes.
  return { samples: new Float32Array(new Uint8Array(stdout).buffer), channels, sampleRate };
}

/** Format of the first audio stream according to ffprobe. */
export async function formatOf(path: string): Promise<SoundFormat> {
  const entries = ['-select_streams', 'a:0', '-show_entries', 'stream=channels,sample_rate', '-of', 'json'];
  const { stdout } = await execute('ffprobe', ['-v', 'error', ...entries, path]);
  const [stream] = (JSON.parse(stdout) as { streams: { channels: number; sample_rate: string }[] }).streams;
  if (stream === undefined) throw new Error(`${path} holds no audio`);
  return { channels: stream.channels, sampleRate: Number(stream.sample_rate) };
}

export const momentsOf = ({ samples, channels }: Sound): number => samples.length / channels;

export const secondsOf = (sound: Sound): number => momentsOf(sound) / sound.sampleRate;

export function concatenated(sounds: readonly Sound[], format: SoundFormat): Sound {
  const samples = new Float32Array(sounds.reduce((sum, sound) => sum + sound.samples.length, 0));
  let at = 0;
  for (const sound of sounds) {
    samples.set(sound.samples, at);
    at += sound.samples.length;
  }
  return { samples, ...format };
}

/** The part that starts at `start` and lasts `seconds`. */
export function partOf({ samples, channels, sampleRate }: Sound, start: number, seconds: number): Sound {
  const from = Math.round(start * sampleRate);
  const part = samples.subarray(from * channels, (from + Math.round(seconds * sampleRate)) * channels);
  return { samples: part, channels, sampleRate };
}

/** Decibels between the reference and its difference to the other sound; Infinity for equal samples. */
export function signalToNoise(other: Sound, reference: Sound): number {
  const length = Math.min(other.samples.length, reference.samples.length);
  let [power, error] = [0, 0];
  for (let index = 0; index < length; index += 1) {
    const wanted = reference.samples[index] ?? 0;
    power += wanted ** 2;
    error += (wanted - (other.samples[index] ?? 0)) ** 2;
  }
  return error === 0 ? Infinity : 10 * Math.log10(power / error);
}

/** Hz; locates a sound to an eighth of a millisecond. */
const coarseRate = 8000;

/** Mixes to one channel and averages samples. Both sounds of a comparison have the same format. */
function coarse({ samples, channels, sampleRate }: Sound): { values: Float64Array; rate: number } {
  const width = Math.max(1, Math.floor(sampleRate / coarseRate)) * channels;
  const values = new Float64Array(Math.floor(samples.length / width));
  for (let index = 0; index < values.length; index += 1) {
    let sum = 0;
    for (let offset = 0; offset < width; offset += 1) sum += samples[index * width + offset] ?? 0;
    values[index] = sum / width;
  }
  return { values, rate: (sampleRate * channels) / width };
}

export interface Place {
  /** Seconds by which the sound is later than expected. */
  lag: number;
  /** 1 for the same sound, 0 for a different one. */
  likeness: number;
}

/** Seconds around `start` in which a sound is searched. */
const reachSeconds = 0.2;

/** Locates a sound in the reference around `start` by cross-correlation. */
export function findPlace(part: Sound, reference: Sound, start: number): Place {
  const { values: own, rate } = coarse(part);
  const { values: whole } = coarse(reference);
  // Skips the first samples, because a decoder may need some to settle.
  const from = Math.round(Math.min(0.3, own.length / rate / 4) * rate);
  const length = Math.min(Math.round(1.5 * rate), own.length - 2 * from);
  const reach = Math.round(reachSeconds * rate);
  let best = { lag: Number.NaN, likeness: -1 };
  for (let lag = -reach; lag <= reach; lag += 1) {
    const offset = Math.round(start * rate) + from + lag;
    let [product, ownPower, wholePower] = [0, 0, 0];
    // Every second value is enough.
    for (let index = 0; index < length; index += 2) {
      const left = own[from + index] ?? 0;
      const right = whole[offset + index] ?? 0;
      product += left * right;
      ownPower += left ** 2;
      wholePower += right ** 2;
    }
    const likeness = product / Math.sqrt(Math.max(Number.MIN_VALUE, ownPower * wholePower));
    if (likeness > best.likeness) best = { lag: lag / rate, likeness };
  }
  return best;
}
