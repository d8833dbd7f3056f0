import ipaddr from 'ipaddr.js';

/** Whether a host, as a URL or a setting names it, is this machine alone. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replaceAll(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}

/**
 * Whether a request asks for this machine by a name that only itself can have. A page of any web site can have its own name resolve to
 * 127.0.0.1, and a browser then lets its scripts read what a service answers there (DNS rebinding).
 *
 * `header`: Host, such as `[::1]:8080`. A client of HTTP/1.0 need not send it; a browser always does.
 */
export function isAskedAsLoopback(header = 'localhost'): boolean {
  return isLoopbackHost(header.replace(/:\d*$/, ''));
}
