import ipaddr from 'ipaddr.js';

/** `host`: of a URL or a setting, such as `[::1]` */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replaceAll(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}

/** Anyone on the path to a plain HTTP service that gives or checks identities could take them. */
export function isHttpsOrLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
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
