import { ProblemError } from '../problem-error.ts';

const mediaTypes = /^(?:audio|video)\/|^application\/(?:ogg|mp4|mxf|octet-stream|x-.+)$/i;
/** Covers, watermarks and subtitles. */
const linkedTypes = /^image\/(?:jpeg|png|webp)$|^text\/vtt$/i;

/** Refuses a type that no run can use; a file of unknown type is accepted. `shown`: name of the file in the error. */
export function requireMedia(filetype: string | null | undefined, shown: string): void {
  if (!filetype || mediaTypes.test(filetype) || linkedTypes.test(filetype)) return;
  throw new ProblemError(
    'unsupported_media_type',
    `${shown} is ${filetype}, which no run can use. Send audio or video, a JPEG, PNG or WebP picture, or WebVTT.`,
  );
}

export function requireUploadSize(bytes: number, maxBytes: number, shown: string): void {
  if (bytes <= maxBytes) return;
  throw new ProblemError(
    'request_too_large',
    `${shown} has ${bytes} bytes; the limit is ${maxBytes} (UPLOAD_MAX_BYTES).`,
  );
}
