import { linkedFiles } from '../../contract/linked-files.ts';
import type { PackedChunkRequest } from '../../contract/http/chunk.ts';
import type { EncodeRequest } from '../../contract/http/encode.ts';
import { packedItems } from '../../contract/packed-list.ts';
import type { InputFile, TargetPlace } from '../../contract/places.ts';
import type { Presets } from '../../contract/presets.ts';
import type { KeptInputs } from '../transfer/kept-inputs.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

/** Everything that a request reads, and the places that it names for its files. */
export interface RequestPlaces {
  inputs: InputFile[];
  targets: Iterable<TargetPlace>;
}

interface Upload {
  uploadUrl?: string | undefined;
}

function* targetsAt(field: string, uploads: Iterable<Upload>): Generator<TargetPlace> {
  let index = 0;
  for (const { uploadUrl: url } of uploads) {
    if (url !== undefined) yield { path: [field, index, 'uploadUrl'], url };
    index += 1;
  }
}

/** Throws if a target is in the place of an input, or of another target. */
export async function checkPlaces(
  { inputs, targets }: RequestPlaces,
  transfer: Pick<MediaTransfer, 'keepInputs'>,
): Promise<void> {
  const kept = await transfer.keepInputs(inputs);
  await kept.check(targets);
}

/** A transfer whose downloads throw if an input redirects to the place of a target, before anything is encoded. */
export function keepRedirects(
  transfer: MediaTransfer,
  targets: Iterable<TargetPlace>,
  kept: KeptInputs,
): MediaTransfer {
  return {
    ...transfer,
    // A job that reads a part of its source names no targets. Targets that it gets later are checked, too.
    openPartial: (source, ...rest) =>
      transfer.openPartial({ ...source, onRedirect: (url) => kept.addRedirect(source.sourceUrl, url) }, ...rest),
    async download(source, path, job) {
      let isRedirected = false;
      const onRedirect = (url: string): void => {
        isRedirected = true;
        kept.addRedirect(source.sourceUrl, url);
      };
      const identity = await transfer.download({ ...source, onRedirect }, path, job);
      if (isRedirected) await kept.check(targets);
      return identity;
    },
  };
}

export function placesOfEncode(
  { sourceUrl, outputs, part }: Pick<EncodeRequest, 'sourceUrl' | 'outputs' | 'part'>,
  presets: Presets,
): RequestPlaces {
  const links = outputs.flatMap((output, index) => {
    const preset = Object.entries(presets).find(([name]) => name === output.preset)?.[1] ?? {};
    return [...linkedFiles(output, `outputs.${index}`), ...linkedFiles(preset, `outputs.${index}.preset`)];
  });
  const { segments = [], sounds = [] } = part?.kind === 'join' ? part : {};
  const parts = [
    ...segments.flat().map(({ url }) => ({ field: 'part.segments', url })),
    ...sounds.map(({ url }) => ({ field: 'part.sounds', url })),
  ];
  return {
    inputs: [{ field: 'sourceUrl', url: sourceUrl }, ...links, ...parts],
    targets: [...targetsAt('outputs', outputs)],
  };
}

export function placesOfChunk({
  sourceUrl,
  originalUrl,
  chunks,
  list,
}: Pick<PackedChunkRequest, 'sourceUrl' | 'originalUrl' | 'chunks' | 'list'>): RequestPlaces {
  const original = originalUrl === undefined ? [] : [{ field: 'originalUrl', url: originalUrl }];
  return {
    inputs: [{ field: 'sourceUrl', url: sourceUrl }, ...original],
    targets: {
      *[Symbol.iterator]() {
        yield* targetsAt('chunks', packedItems(chunks));
        if (list !== undefined) yield { path: ['list', 'uploadUrl'], url: list.uploadUrl };
      },
    },
  };
}
