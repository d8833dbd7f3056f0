import type { VideoOptions } from '../../../contract/http/video.ts';
import { UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { keepsColours } from '../kept-pictures.ts';
import type { PictureEdit } from './picture-edit.ts';

/** Spatial strength for luma. The filter derives its other strengths from it. */
const strengths: Record<NonNullable<VideoOptions['denoise']>, number> = { light: 6, medium: 10, strong: 20 };

/** Bytes per pixel of the previous picture, which the filter holds in 16 bits. */
const bytesPerPixel = 6;

/**
 * Removes noise by ffmpeg's `hqdn3d`, which averages each picture with the ones before it. The filter precedes the trim,
 * so the two groups of pictures that are decoded before a part are its run-in. A group of one picture is the worst case:
 * at `strong`, the first picture of very noisy film differs from its state in the whole film by 40 dB (PSNR). Without a
 * run-in it would be 32 dB.
 */
export const denoise: PictureEdit = {
  plan({ settings, output, source: { pixelFormat } }) {
    if (settings.denoise === undefined || !keepsColours(settings) || /^yuvj?4\d\dp/.test(pixelFormat)) return {};
    throw new UnsupportedOutput(output, `pictures of ${pixelFormat} cannot be denoised; set a pixelFormat`);
  },
  onSource({ settings }, { isRgb }) {
    if (settings.denoise === undefined) return [];
    const filter = `hqdn3d=${strengths[settings.denoise]}`;
    if (!isRgb) return [filter];
    // The filter takes no RGB. 16 bits survive both conversions exactly.
    return [
      'scale=out_color_matrix=bt709:out_range=tv',
      'format=yuv444p16le',
      filter,
      'scale=in_color_matrix=bt709:in_range=tv:out_range=pc',
      'format=gbrp16le',
    ];
  },
  obstacleToCopy: ({ settings }) => (settings.denoise === undefined ? undefined : 'its pictures are denoised'),
  memory: ({ settings, view: { kept } }) =>
    settings.denoise === undefined ? 0 : bytesPerPixel * kept.width * kept.height,
};
