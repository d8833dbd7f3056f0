import ipaddr from 'ipaddr.js';

/** `host`: of a URL or a setting, such as `[::1]` */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replaceAll(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}

/**
 * Whether a request names this machine by a loopback host. Any web site can let its own name resolve to 127.0.0.1, and its scripts could
 * then read a service's answers there (DNS rebinding).
 *
 * `header`: Host, such as `[::1]:8080`. An HTTP/1.0 client may omit it; a browser never does.
 */
export function isAskedAsLoopback(header = 'localhost'): boolean {
  return isLoopbackHost(header.replace(/:\d*$/, ''));
}
