import { Agent } from 'undici';
import type { AllowedAddresses } from '../../network/address-guard.ts';
import { guardedConnector } from '../../network/guarded-connector.ts';

/** Agent for sources and uploads. */
export function createMediaAgent(allowed: AllowedAddresses, stallTimeoutSeconds: number): Agent {
  const stallTimeoutMs = stallTimeoutSeconds * 1000;
  return new Agent({
    // Connections to one origin: room for all slow sources of `/metadata`, so that none holds up the job or the others.
    connections: 64,
    // A transfer without progress for this long is stalled; the job's deadline bounds the whole transfer.
    headersTimeout: stallTimeoutMs,
    bodyTimeout: stallTimeoutMs,
    connect: guardedConnector(allowed),
  });
}
