import { builtInPresets } from './presets.ts';

/** seconds */
export const defaultChunkDuration = 60;
/** seconds */
export const defaultOverlapDuration = 2;

const { codec, bitrate } = builtInPresets['speech-opus'].audio;

/** Format to which `processing` encodes a source before it is cut; the preset's `opus_24` is enough for speech. */
export const defaultProcessingFormat = `${codec}_${bitrate}` as const;

/**
 * Concurrent calls per provider key that a worker makes at most. It is the only limit while the limiter does not
 * answer.
 */
export const defaultProviderCallsPerWorker = 5;

/** Eight days: longer than any provider's quota period and than anyone waits for a run. */
export const longestProviderWaitSeconds = 8 * 86_400;

export const defaultEnvironment = 'default';

/**
 * Flags with which Node starts the container's process. Media passes through as buffers outside V8's heap, and V8
 * collects their small handles late: a young generation of the usual size keeps about 60 MiB of dead buffers
 * (`bench/memory`). scripts/setup.mjs and scripts/image-entrypoint.sh cannot import this and repeat it.
 */
export const containerNodeFlags = ['--max-semi-space-size=1'] as const;
