import { Agent } from 'undici';
import type { AllowedAddresses } from '../../network/address-guard.ts';
import { guardedConnector } from '../../network/guarded-connector.ts';

/**
 * undici takes a reset for the end of an answer without a declared length, and half a source would pass for the whole. Under
 * another code it reports the reset.
 */
function reportReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
}

/** Agent for sources and uploads. */
export function createMediaAgent(allowed: AllowedAddresses, stallTimeoutSeconds: number): Agent {
  const stallTimeoutMs = stallTimeoutSeconds * 1000;
  const connect = guardedConnector(allowed);
  return new Agent({
    // Connections to one origin: room for all slow sources of `/metadata`, so that none holds up the job or the others.
    connections: 64,
    // A transfer without progress for this long is stalled; the job's deadline bounds the whole transfer.
    headersTimeout: stallTimeoutMs,
    bodyTimeout: stallTimeoutMs,
    connect: (options, callback) => {
      connect(options, (...result) => {
        result[1]?.on('error', reportReset);
        callback(...result);
      });
    },
  });
}
