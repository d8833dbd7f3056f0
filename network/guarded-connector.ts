import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import {
  AddressNotAllowedError,
  guardedLookup,
  isAddressAllowed,
  isPortAllowed,
  type AllowedAddresses,
} from './address-guard.ts';

/** Covers a lost SYN and its repeats to a dead host. The caller retries. */
const connectTimeoutMs = 10_000;

/** A socket has no remote address if its peer reset the connection right after accepting it. */
function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** Connects to allowed addresses only. It checks the literal, every answer of the look-up, and the socket's remote address. */
export function guardedConnector(allowed: AllowedAddresses): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(allowed) });
  const connectUnguarded = buildConnector({ timeout: connectTimeoutMs });
  return (options, callback) => {
    if (isPortAllowed(options, allowed)) return connectUnguarded(options, callback);
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal is never looked up.
    if (isIP(host) !== 0 && !isAddressAllowed(host, allowed)) {
      callback(new AddressNotAllowedError(host), null);
      return;
    }
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      if (allowed.hosts.has(host.toLowerCase())) return callback(null, socket);
      const peer = socket.remoteAddress;
      if (peer !== undefined && isAddressAllowed(peer, allowed)) return callback(null, socket);
      socket.destroy();
      return callback(peer === undefined ? connectionReset() : new AddressNotAllowedError(host), null);
    });
  };
}
