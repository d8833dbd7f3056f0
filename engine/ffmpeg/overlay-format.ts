/** Picture formats of ffmpeg's filter `overlay`; version 5.1 supports no others. */
const overlayFormats: Readonly<Record<string, string>> = {
  yuv420p: 'yuv420',
  yuv422p: 'yuv422',
  yuv444p: 'yuv444',
  yuv420p10le: 'yuv420p10',
  yuv422p10le: 'yuv422p10',
};

/** Returns undefined if nothing can be overlaid on such pictures. */
export function overlayFormatOf(pixelFormat: string): string | undefined {
  return overlayFormats[pixelFormat];
}

export const transparentFormat = (pixelFormat: string): string => pixelFormat.replace('yuv', 'yuva');
