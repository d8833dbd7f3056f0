import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { AddressNotAllowedError, guardedLookup, isAddressAllowed, type AllowedAddresses } from './address-guard.ts';

/** A dead host answers nothing: ten seconds cover a lost SYN and its repeats, and leave the retry to who asked. */
const connectTimeoutMs = 10_000;

/** Connects to allowed addresses only: the literal, every answer of the look-up, and the address that the socket is connected to are checked. */
export function guardedConnector(allowed: AllowedAddresses): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(allowed) });
  return (options, callback) => {
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
  };
}
