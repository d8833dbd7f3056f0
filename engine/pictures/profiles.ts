import type { VideoCodec } from '../../contract/video-codecs.ts';

/** Profile that a decoder needs, by ffprobe's names; undefined if the codec states none. */
export function profileOf(codec: VideoCodec, pixelFormat: string): string | undefined {
  const isDeep = /1[0246]le$/.test(pixelFormat);
  const [is422, is444] = [pixelFormat.startsWith('yuv422p'), pixelFormat.startsWith('yuv444p')];
  switch (codec) {
    case 'h264':
      if (is444) return 'High 4:4:4 Predictive';
      if (is422) return 'High 4:2:2';
      return isDeep ? 'High 10' : 'High';
    case 'hevc':
      if (is422 || is444) return 'Rext';
      return isDeep ? 'Main 10' : 'Main';
    case 'vp9':
      return `Profile ${(isDeep ? 2 : 0) + (is422 || is444 ? 1 : 0)}`;
    case 'av1':
      return 'Main';
    case 'prores':
      return is444 ? '4444' : 'HQ';
    case 'ffv1':
      return undefined;
  }
}
