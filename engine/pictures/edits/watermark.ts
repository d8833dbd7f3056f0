import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { labelLast, type PictureEdit } from './picture-edit.ts';
import type { WatermarkSettings } from '../../../contract/watermark-settings.ts';
import { isHighDynamicRange, matrixOf } from '../../ffmpeg/colour-tags.ts';
import { overlayFormatOf, transparentFormat } from '../../ffmpeg/overlay-format.ts';
import { rationalText } from '../../ffmpeg/rational.ts';
import { tickOf } from '../video-timing.ts';
import type { VideoPlan } from '../../plan/video-plan.ts';
import type { WatermarkImage, WatermarkPlan } from '../../plan/video-plan.ts';

/** Four pixels share a colour in most pictures, so an odd position or size would blur it. */
const evenAtMost = (pixels: number): number => 2 * Math.floor(pixels / 2);

/** Decides size and position. Throws if the pictures cannot have a watermark. */
export function planWatermark(
  { place, size, opacity, margin }: WatermarkSettings,
  naming: OutputNaming,
  image: WatermarkImage,
  { shape, pixelFormat, colour }: Pick<VideoPlan, 'shape' | 'pixelFormat' | 'colour'>,
): WatermarkPlan {
  if (overlayFormatOf(pixelFormat) === undefined) {
    throw new UnsupportedOutput(naming, `a watermark cannot be drawn over pictures of ${pixelFormat}`);
  }
  if (isHighDynamicRange({ colour })) {
    throw new UnsupportedOutput(
      naming,
      'a watermark cannot be drawn over pictures of high dynamic range, because its colours would change',
    );
  }
  const picture = shape.size;
  const gap = Math.round(margin * picture.width);
  const room = { width: picture.width - 2 * gap, height: picture.height - 2 * gap };
  if (Math.min(room.width, room.height) < 2) {
    const pictures = `pictures of ${picture.width}x${picture.height}`;
    throw new UnsupportedOutput(
      naming,
      `a margin of ${margin} of the width leaves no room for a watermark in ${pictures}; use a smaller margin`,
    );
  }
  const wanted = size * picture.width;
  const scale = Math.min(wanted, room.width, (room.height * image.width) / image.height) / image.width;
  const width = Math.max(2, evenAtMost(image.width * scale + 0.5));
  const height = Math.max(2, evenAtMost(image.height * scale + 0.5));
  const [vertical, horizontal] = place === 'centre' ? ['middle', 'middle'] : place.split('-');
  const at = (along: string | undefined, whole: number, part: number): number => {
    if (along === 'middle') return evenAtMost((whole - part) / 2);
    return evenAtMost(/^(?:top|left)$/.test(along ?? '') ? gap : whole - gap - part);
  };
  return {
    ...{ image, width, height, opacity },
    x: Math.max(0, at(horizontal, picture.width, width)),
    y: Math.max(0, at(vertical, picture.height, height)),
  };
}

/** Lays an image over the pictures. */
export const watermark: PictureEdit = {
  plan({ output, watermarkImage: image }, plan) {
    const { watermark: settings } = output;
    return settings && image ? { watermark: planWatermark(settings, output, image, plan) } : {};
  },
  onFrame(chains, plan, { overlays: { watermark: input }, label }) {
    const { watermark: mark, pixelFormat } = plan;
    if (mark === undefined || input === undefined) return chains;
    return [
      ...labelLast(chains, `${label}plain`),
      [
        `[${input}:v:0]scale=out_color_matrix=${matrixOf(plan.colour, plan.shape.size)}:out_range=${plan.isFullRange ? 'pc' : 'tv'}`,
        `format=${transparentFormat(pixelFormat)}`,
        // The overlay filter combines both inputs' clocks and would round if they differed.
        `settb=${rationalText(tickOf(plan.timing))}`,
        `setpts=0[${label}mark]`,
      ],
      [`[${label}plain][${label}mark]overlay=x=${mark.x}:y=${mark.y}:format=${overlayFormatOf(pixelFormat)}`],
    ];
  },
  obstacleToCopy: (plan) => (plan.watermark === undefined ? undefined : 'there is a watermark over its pictures'),
};
