/** One report of `-progress`: https://ffmpeg.org/ffmpeg.html, "-progress url". */
export interface FfmpegProgress {
  /** seconds of media written so far */
  mediaSeconds: number;
  /** seconds of media for each second of time */
  speed: number | undefined;
  /** Of the first stream of pictures that is written; undefined where none is. */
  pictures: { frames: number; framesPerSecond: number } | undefined;
}

/** Collects the `key=value` lines of one block; answers the report when `progress=…` closes it. */
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
        // N/A until the first packet is out, and negative before an encoder's delay has passed.
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

/** An encoder that looks ahead takes pictures in for long before it gives a packet out, which moves the media clock (pure). */
export function hasAdvanced(last: FfmpegProgress | undefined, { mediaSeconds, pictures }: FfmpegProgress): boolean {
  return mediaSeconds > (last?.mediaSeconds ?? 0) || (pictures?.frames ?? 0) > (last?.pictures?.frames ?? 0);
}

/** Nothing has been counted where it says `N/A`. */
function countOf(text: string): number {
  const count = Number.parseFloat(text);
  return Number.isFinite(count) && count > 0 ? count : 0;
}
