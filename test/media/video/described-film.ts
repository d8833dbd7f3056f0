import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const maxBuffer = 256 * 1024 ** 2;

/** A file as ffprobe and plain ffmpeg see it. */
export type DescribedFilm = Readonly<Record<string, unknown>>;

/**
 * Fields that name the file, or follow from the number of its bytes. ffmpeg writes the name of the encoder only if it
 * encodes.
 */
const otherFields = new Set(['filename', 'size', 'bit_rate', 'pos', 'encoder', 'ENCODER']);

/** MD5 of each decoded picture, if wanted, and of each frame of sound, with their times. */
async function hashesOf(path: string, hasPictures: boolean): Promise<string[]> {
  const maps = [...(hasPictures ? ['-map', '0:V:0'] : []), '-map', '0:a?'];
  const args = ['-nostdin', '-v', 'error', '-copyts', '-i', path, ...maps, '-fps_mode', 'passthrough'];
  const { stdout } = await execute('ffmpeg', [...args, '-f', 'framemd5', '-'], { maxBuffer });
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/**
 * Streams, tags, chapters, packets with their times and key frames, and decoded sound. `hasEqualPictures`: also the
 * decoded pictures.
 */
export async function describeFilm(path: string, hasEqualPictures: boolean): Promise<DescribedFilm> {
  const show = ['-show_format', '-show_streams', '-show_chapters', '-show_packets'];
  const { stdout } = await execute('ffprobe', ['-v', 'error', ...show, '-of', 'json', path], { maxBuffer });
  const probed = JSON.parse(stdout, (name, value: unknown) =>
    otherFields.has(name) ? undefined : value,
  ) as DescribedFilm;
  const { packets = [], ...facts } = probed as { packets?: { stream_index: number }[] };
  const { streams = [] } = facts as { streams?: object[] };
  const packetsOf = streams.map((_, stream) => packets.filter(({ stream_index }) => stream_index === stream));
  return {
    ...facts,
    packetsOf,
    ...(hasEqualPictures || streams.length > 1 ? { hashes: await hashesOf(path, hasEqualPictures) } : {}),
  };
}

const most = 3;

/** Differences of two descriptions as texts with their paths: the first ones, and the number of the others. */
export function differencesOf(made: unknown, wanted: unknown): string[] {
  const found = [...differences(made, wanted, '')];
  return found.length > most ? [...found.slice(0, most), `${found.length - most} more differences`] : found;
}

function* differences(made: unknown, wanted: unknown, path: string): Generator<string> {
  const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!isBranch(made) || !isBranch(wanted)) {
    if (made !== wanted) yield `${path} is ${JSON.stringify(made)} instead of ${JSON.stringify(wanted)}`;
    return;
  }
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(made)])) {
    yield* differences(made[name], wanted[name], path === '' ? name : `${path}.${name}`);
  }
}
