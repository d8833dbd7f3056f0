import { Agent } from 'undici';
import type { AllowedAddresses } from '../../network/address-guard.ts';
import { guardedConnector } from '../../network/guarded-connector.ts';

/** For sources and uploads. */
export function createMediaAgent(allowed: AllowedAddresses, stallTimeoutSeconds: number): Agent {
  const stallTimeoutMs = stallTimeoutSeconds * 1000;
  return new Agent({
    // To one origin: room for all the slow sources of `/metadata`, so that none holds up the job or the others.
    connections: 64,
    // No progress for this long is a stall; the whole transfer is bounded by the job's own deadline.
    headersTimeout: stallTimeoutMs,
    bodyTimeout: stallTimeoutMs,
    connect: guardedConnector(allowed),
  });
}
