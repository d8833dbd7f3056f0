import { runFfmpeg } from './run.ts';
import { decodeGuards } from './whitelist.ts';

interface MeasureOptions {
  stallTimeoutSeconds: number;
  signal: AbortSignal;
  onProgress?(mediaSeconds: number): void;
}

/** Any rate would do: only the ratio to it counts. This one is a whole number of samples for a millisecond. */
const measuringRate = 48_000;

/**
 * Seconds of sound that come out of a file when it is decoded to its end. Headers guess, packets carry an encoder's
 * delay and padding; only decoding is exact, and takes about a hundredth of the media's time.
 */
export async function decodedSeconds(path: string, options: MeasureOptions): Promise<number> {
  const { encodedSamples } = await runFfmpeg({
    input: path,
    inputOptions: decodeGuards,
    outputs: [
      {
        path: '-',
        options: [
          ...['-map', '0:a:0', '-af', 'aresample=async=1', '-ac', '1', '-ar', String(measuringRate)],
          ...['-c:a', 'pcm_s16le', '-f', 'null'],
        ],
      },
    ],
    stallTimeoutSeconds: options.stallTimeoutSeconds,
    signal: options.signal,
    onProgress: ({ mediaSeconds }) => options.onProgress?.(mediaSeconds),
  });
  return (encodedSamples.get(0) ?? 0) / measuringRate;
}
