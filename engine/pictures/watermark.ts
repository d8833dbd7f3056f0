import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import type { WatermarkSettings } from '../../contract/watermark-settings.ts';
import { matrixOf } from '../ffmpeg/colour-tags.ts';
import { overlayFormatOf, transparentFormat } from '../ffmpeg/overlay-format.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { VideoTiming, WatermarkImage, WatermarkPlan } from '../plan/video-plan.ts';

/** Four pixels have one colour in most pictures, so that an odd place or size would blur it. */
const evenAtMost = (pixels: number): number => 2 * Math.floor(pixels / 2);

/** Decides size and place (pure). Throws where the pictures take no watermark. */
export function planWatermark(
  { place, size, opacity, margin }: WatermarkSettings,
  naming: OutputNaming,
  image: WatermarkImage,
  { shape, pixelFormat, colour }: Pick<VideoPlan, 'shape' | 'pixelFormat' | 'colour'>,
): WatermarkPlan {
  if (overlayFormatOf(pixelFormat) === undefined) {
    throw new UnsupportedOutput(naming, `a watermark cannot be laid over pictures of ${pixelFormat}`);
  }
  if (/^(?:smpte2084|arib-std-b67)$/.test(colour.transfer ?? '')) {
    throw new UnsupportedOutput(
      naming,
      'a watermark cannot be laid over pictures of high dynamic range, where its colours would mean others',
    );
  }
  const picture = shape.size;
  const gap = Math.round(margin * picture.width);
  const room = { width: Math.max(2, picture.width - 2 * gap), height: Math.max(2, picture.height - 2 * gap) };
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

/** The clock of the pictures: the filter goes by that of both, and would round where they differ. */
function clockOf(timing: VideoTiming): string {
  const { num, den } = timing.kind === 'constant' ? { num: timing.fps.den, den: timing.fps.num } : timing.timeBase;
  return `settb=${num}/${den}`;
}

/** The chains of a picture's filters with those behind them that lay the watermark, from input number `input`, over it (pure). */
export function withWatermark(
  chains: string[][],
  plan: VideoPlan,
  input: number | undefined,
  label: string,
): string[][] {
  const { watermark, pixelFormat } = plan;
  if (watermark === undefined || input === undefined) return chains;
  const last = chains.at(-1) ?? [];
  return [
    ...chains.slice(0, -1),
    [...last.slice(0, -1), `${last.at(-1) ?? 'null'}[${label}plain]`],
    [
      `[${input}:v:0]scale=out_color_matrix=${matrixOf(plan.colour, plan.shape.size)}:out_range=${plan.isFullRange ? 'pc' : 'tv'}`,
      ...[`format=${transparentFormat(pixelFormat)}`, clockOf(plan.timing), `setpts=0[${label}mark]`],
    ],
    [`[${label}plain][${label}mark]overlay=x=${watermark.x}:y=${watermark.y}:format=${overlayFormatOf(pixelFormat)}`],
  ];
}
