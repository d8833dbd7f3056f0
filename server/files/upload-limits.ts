import { ProblemError } from '../problem-error.ts';

/** `shown`: what is sent, as it stands in a sentence. A file whose type nobody knows may be anything. */
export function requireMedia(filetype: string | null | undefined, shown: string): void {
  if (!filetype || /^(?:audio|video)\/|^application\/(?:ogg|mp4|mxf|octet-stream|x-.+)$/i.test(filetype)) return;
  throw new ProblemError(
    'unsupported_media_type',
    `${shown} is ${filetype}, and nothing that could be encoded. Send audio or video.`,
  );
}

export function requireUploadSize(bytes: number, maxBytes: number, shown: string): void {
  if (bytes <= maxBytes) return;
  throw new ProblemError(
    'request_too_large',
    `${shown} has ${bytes} bytes, and an upload may have ${maxBytes} at most (UPLOAD_MAX_BYTES).`,
  );
}
