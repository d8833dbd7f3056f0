import type { VideoOptions } from '../../../contract/http/video.ts';
import { UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { PictureEdit } from './picture-edit.ts';

const amounts: Record<NonNullable<VideoOptions['sharpen']>, number> = { light: 0.4, medium: 0.8, strong: 1.2 };

/** Pixel formats that `unsharp` takes without a conversion. */
const sharpenedFormats = /^yuv4\d\dp(?:(?:10|12|16)le)?$/;

/** Sharpens luma of the scaled picture, because scaling blurs it. Chroma stays, so colours get no fringes. */
export const sharpen: PictureEdit = {
  plan({ settings, output }, { pixelFormat }) {
    if (settings.sharpen === undefined || sharpenedFormats.test(pixelFormat)) return {};
    throw new UnsupportedOutput(output, `pictures of ${pixelFormat} cannot be sharpened; set a pixelFormat`);
  },
  onScaled({ settings, pixelFormat }) {
    if (settings.sharpen === undefined) return [];
    // Without `format`, ffmpeg might convert the pictures to another depth for the filter and back.
    return [`format=${pixelFormat}`, `unsharp=lx=5:ly=5:la=${amounts[settings.sharpen]}`];
  },
  obstacleToCopy: ({ settings }) => (settings.sharpen === undefined ? undefined : 'its pictures are sharpened'),
};
