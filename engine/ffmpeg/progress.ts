/** One report of `-progress` (https://ffmpeg.org/ffmpeg.html, "-progress url"). */
export interface FfmpegProgress {
  /** Seconds of media written so far. */
  mediaSeconds: number;
  /** Seconds of media per second. */
  speed: number | undefined;
  /** Progress of the first video stream that is written; undefined without video. */
  pictures: { frames: number; framesPerSecond: number } | undefined;
}

/** Collects the `key=value` lines of one block and returns the report when `progress=…` closes it. */
export function createProgressReader(): (line: string) => FfmpegProgress | undefined {
  let mediaSeconds = 0;
  let speed: number | undefined;
  let pictures: FfmpegProgress['pictures'];
  return (line) => {
    const equals = line.indexOf('=');
    const value = line.slice(equals + 1).trim();
    switch (line.slice(0, Math.max(equals, 0))) {
      case 'out_time_us': {
        const microseconds = Number(value);
        // The value is N/A until the first packet is written, and negative until the encoder's delay has passed.
        if (Number.isFinite(microseconds) && microseconds > 0) mediaSeconds = microseconds / 1e6;
        return undefined;
      }
      case 'frame':
        pictures = { frames: countOf(value), framesPerSecond: 0 };
        return undefined;
      case 'fps':
        if (pictures !== undefined) pictures = { ...pictures, framesPerSecond: countOf(value) };
        return undefined;
      case 'speed': {
        const factor = Number.parseFloat(value);
        speed = Number.isFinite(factor) ? factor : undefined;
        return undefined;
      }
      case 'progress':
        return { mediaSeconds, speed, pictures };
    }
    return undefined;
  };
}

/** An encoder with lookahead takes in pictures long before it emits a packet, which moves the media clock. */
export function hasAdvanced(last: FfmpegProgress | undefined, { mediaSeconds, pictures }: FfmpegProgress): boolean {
  return mediaSeconds > (last?.mediaSeconds ?? 0) || (pictures?.frames ?? 0) > (last?.pictures?.frames ?? 0);
}

/** `N/A` means that nothing was counted. */
function countOf(text: string): number {
  const count = Number.parseFloat(text);
  return Number.isFinite(count) && count > 0 ? count : 0;
}
