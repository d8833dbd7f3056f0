import { kindOfName, type SourceKind } from '../words/source-kind.ts';

/** Facts that the browser reads from a file without sending it. */
export interface SeenFile {
  kind: SourceKind;
  seconds?: number;
  /** Pixels. */
  width?: number;
  height?: number;
  /** A picture of the film. */
  frame?: ImageBitmap;
}

/** Longest wait for the head of a file, which may be on a slow drive. */
const mostWaitMs = 2_000;

/** Wide enough for a drawing. */
const frameWidth = 320;

/** The name decides if the browser cannot play the file. A browser that cannot decode the pictures of a film still plays its sound. */
export async function lookAtFile(file: File): Promise<SeenFile> {
  const kind = kindOfName(file.name, file.type);
  const player = document.createElement('video');
  const url = URL.createObjectURL(file);
  try {
    const loaded = until(player, 'loadedmetadata');
    Object.assign(player, { muted: true, preload: 'auto', src: url });
    await loaded;
    const { duration, videoWidth: width, videoHeight: height } = player;
    const frame = width > 0 ? await takeFrame(player) : undefined;
    return {
      kind: width > 0 ? 'film' : kind,
      ...(Number.isFinite(duration) && { seconds: duration }),
      ...(width > 0 && { width, height }),
      ...(frame !== undefined && { frame }),
    };
  } finally {
    player.removeAttribute('src');
    player.load();
    URL.revokeObjectURL(url);
  }
}

/** Waits for an event, an error or a timeout. */
async function until(player: HTMLVideoElement, event: string): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const one of [event, 'error']) player.addEventListener(one, () => resolve(), { once: true });
    setTimeout(resolve, mostWaitMs);
  });
}

/** A third of a film shows more than its beginning, which may be black. Undefined if the browser decodes no picture. */
async function takeFrame(player: HTMLVideoElement): Promise<ImageBitmap | undefined> {
  const sought = until(player, 'seeked');
  player.currentTime = Number.isFinite(player.duration) ? player.duration / 3 : 0;
  await sought;
  return await createImageBitmap(player, { resizeWidth: frameWidth, resizeQuality: 'high' }).catch(() => undefined);
}
