import { isHighDynamicRange } from '../../ffmpeg/colour-tags.ts';
import { appendFilters } from '../../pictures/edits/picture-edit.ts';
import { shapeChains } from '../../pictures/edits/size.ts';
import type { PictureShape } from '../../plan/video-plan.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { planToneMap, toneMapFilters } from '../../pictures/edits/tone-map.ts';
import type { ImageLook } from './image-look.ts';

/** Filter chains from decoded pictures to those of an image (pure). The last chain is open. */
export function imageChains(film: PictureSource, shape: PictureShape, look: ImageLook, label: string): string[][] {
  const tail = ['setsar=1', `format=${look.pixelFormat}`];
  if (!isHighDynamicRange(film)) return appendFilters(shapeChains(shape, look.colour, label), tail);
  // The output has the colours of HD television.
  const mapped = [...toneMapFilters(planToneMap(film)), 'format=yuv444p'];
  return appendFilters(shapeChains(shape, '', label, { scaled: mapped }), [recolourFilter(look), ...tail]);
}

export function recolourFilter({ colour }: ImageLook): string {
  return `scale=w=iw:h=ih:flags=accurate_rnd+full_chroma_int${colour}`;
}

/** Joins chains into one text that starts at `input`; `head` precedes the first chain. */
export function joinChains(input: string, head: readonly string[], chains: readonly string[][]): string {
  const [first = [], ...later] = chains;
  return input + [[...head, ...first], ...later].map((chain) => chain.join(',')).join(';');
}
