import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { AddressNotAllowedError, guardedLookup, isAddressAllowed, type AllowedAddresses } from './address-guard.ts';

/** A dead host answers nothing: ten seconds cover a lost SYN and its repeats, and leave the retry to the workflow. */
const connectTimeoutMs = 10_000;

/** Connects to allowed addresses only: the literal, every answer of the look-up, and the address that the socket is connected to are checked. */
export function createMediaAgent(allowed: AllowedAddresses, stallTimeoutSeconds: number): Agent {
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(allowed) });
  const stallTimeoutMs = stallTimeoutSeconds * 1000;
  return new Agent({
    // To one origin: room for all the slow sources of `/metadata`, so that none holds up the job or the others.
    connections: 64,
    // No progress for this long is a stall; the whole transfer is bounded by the job's own deadline.
    headersTimeout: stallTimeoutMs,
    bodyTimeout: stallTimeoutMs,
    connect(options, callback) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // No look-up happens for a literal, so it is checked here.
      if (isIP(host) !== 0 && !isAddressAllowed(host, allowed)) {
        callback(new AddressNotAllowedError(host), null);
        return;
      }
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) return callback(error, null);
        const peer = socket.remoteAddress;
        if (!allowed.hosts.has(host.toLowerCase()) && (peer === undefined || !isAddressAllowed(peer, allowed))) {
          socket.destroy();
          return callback(new AddressNotAllowedError(host), null);
        }
        return callback(null, socket);
      });
    },
  });
}
