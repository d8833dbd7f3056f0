import { builtInPresets } from './presets.ts';

/** seconds */
export const defaultChunkDuration = 60;
/** seconds */
export const defaultOverlapDuration = 2;

const { codec, bitrate } = builtInPresets['speech-opus'].audio;

/** What `processing` encodes a source to before it is cut, as its preset says: `opus_24`, which is enough for speech. */
export const defaultProcessingFormat = `${codec}_${bitrate}` as const;

/** How many calls for one provider key a worker makes at a time, whatever its limiter grants. While the limiter does not answer it is the only limit. */
export const defaultProviderCallsPerWorker = 5;

/** Eight days: longer than any provider's quota period, and than anybody waits for a run. */
export const longestProviderWaitSeconds = 8 * 86_400;

/** The value of `HOLDFAST_ENVIRONMENT` where it is not set. */
export const defaultEnvironment = 'default';

/**
 * How Node is to start the container's process. Media passes through as buffers outside of V8's heap, whose small handles
 * V8 does not hurry to collect: a young generation of the usual size keeps some 60 MiB of dead buffers (`bench/memory`).
 * scripts/setup.mjs and scripts/image-entrypoint.sh, which cannot import this, repeat it.
 */
export const containerNodeFlags = ['--max-semi-space-size=1'] as const;
