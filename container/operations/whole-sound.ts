import { rename } from 'node:fs/promises';
import type { MadeSound, PartResult, SoundLink } from '../../contract/http/part.ts';
import { soundFileName } from '../../contract/spread-settings.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { MakeOptions } from '../../engine/products/file/make-product.ts';
import { wholeSoundsOf } from '../../engine/products/make-products.ts';
import type { Product } from '../../engine/products/plan-products.ts';
import { encodeAtLoudness, type LevelledFile } from '../../engine/sound/loudness/encode-at-loudness.ts';
import type { Source } from '../../engine/source/source.ts';
import type { JobContext } from '../jobs/job.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { digestFile } from '../transfer/digest.ts';

/** The whole sound of an output, to be stored where the caller says. */
type SoundDelivery = DeliverableFile & { path: string; made: MadeSound };

/** Files of a spread film's sound that a job of its own may make. More would make the request of the join too long. */
const mostSounds = 4;

/** Files that the part `sound` makes; undefined if the join must make the sound. */
export function countWholeSounds(products: readonly Product[]): number | undefined {
  const { length } = wholeSoundsOf(products);
  return length > 0 && length <= mostSounds ? length : undefined;
}

/** Encodes the sound of all outputs, whole and at its loudness. */
export async function makeWholeSounds(
  products: readonly Product[],
  source: Source,
  { limits, counters }: Pick<MakeOptions, 'limits' | 'counters'>,
  job: JobContext,
): Promise<SoundDelivery[]> {
  const targets = wholeSoundsOf(products);
  const encoded = await encodeAtLoudness(source, targets, limits, counters, job);
  const files: SoundDelivery[] = [];
  for (const [index, file] of encoded.entries()) {
    const path = targets[index]?.path ?? '';
    const digest = await digestFile(path, job.signal, () => job.advance('verify', index / encoded.length));
    const place = { name: soundFileName(index), path, contentType: 'application/octet-stream', digest };
    files.push({ ...place, output: 0, target: undefined, made: describe(file) });
  }
  return files;
}

function describe({ streams, segments, seams, seamFrames, loudness }: LevelledFile): MadeSound {
  const { seconds = 0, isMended = false } = streams.audio ?? {};
  const made = { seconds, isMended, segments, seams, seamFrames: [...seamFrames] };
  return { ...made, ...(loudness !== undefined && { loudness }) };
}

export function describeWholeSounds(files: readonly SoundDelivery[]): PartResult {
  const described = files.map(({ name, digest: { size, sha256 }, made }) => ({ name, size, sha256, made }));
  return { kind: 'sound', files: described };
}

/** Returns what takes the sound of outputs from these files. */
export async function fetchWholeSounds(
  links: readonly SoundLink[] | undefined,
  products: readonly Product[],
  fetch: (link: SoundLink, place: number) => Promise<string>,
): Promise<Pick<MakeOptions, 'makeSound'>> {
  if (links === undefined) return {};
  const targets = wholeSoundsOf(products);
  if (links.length !== targets.length) {
    const message = `The sound has ${links.length} files, and the outputs have ${targets.length} with sound.`;
    throw new MediaError('segment_mismatch', message);
  }
  const fetched = new Map<string, { path: string; made: MadeSound }>();
  for (const [index, { path }] of targets.entries()) {
    const link = links[index];
    if (link !== undefined) fetched.set(path, { path: await fetch(link, index), made: link.made });
  }
  return {
    async makeSound({ path }) {
      const file = fetched.get(path);
      if (file === undefined) return undefined;
      await rename(file.path, path);
      // Sound that must be made once more is encoded.
      fetched.delete(path);
      const { seconds, isMended, loudness, ...made } = file.made;
      const streams = { audio: { seconds, ...(isMended && { isMended }) } };
      return { ...made, streams, ...(loudness !== undefined && { loudness }) };
    },
  };
}
