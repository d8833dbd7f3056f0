/** One report of `-progress`: https://ffmpeg.org/ffmpeg.html, "-progress url". */
export interface FfmpegProgress {
  /** seconds of media written so far */
  mediaSeconds: number;
  /** seconds of media for each second of time */
  speed: number | undefined;
}

/** Collects the `key=value` lines of one block; answers the report when `progress=…` closes it. */
export function createProgressReader(): (line: string) => FfmpegProgress | undefined {
  let mediaSeconds = 0;
  let speed: number | undefined;
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
      case 'speed': {
        const factor = Number.parseFloat(value);
        speed = Number.isFinite(factor) ? factor : undefined;
        return undefined;
      }
      case 'progress':
        return { mediaSeconds, speed };
    }
    return undefined;
  };
}
