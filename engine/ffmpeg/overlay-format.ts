/** What ffmpeg's filter `overlay` calls the pictures it works on; it has no more than these (5.1). */
const overlayFormats: Readonly<Record<string, string>> = {
  yuv420p: 'yuv420',
  yuv422p: 'yuv422',
  yuv444p: 'yuv444',
  yuv420p10le: 'yuv420p10',
  yuv422p10le: 'yuv422p10',
};

/** Undefined: nothing can be laid over such pictures (pure). */
export function overlayFormatOf(pixelFormat: string): string | undefined {
  return overlayFormats[pixelFormat];
}

/** The same with transparency. */
export const transparentFormat = (pixelFormat: string): string => pixelFormat.replace('yuv', 'yuva');
