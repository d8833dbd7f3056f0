import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Exact host names, address ranges and ports of hosts from ALLOW_PRIVATE_ADDRESSES. */
export interface AllowedAddresses {
  hosts: ReadonlySet<string>;
  /** Hosts with a port, such as `127.0.0.1:8090`; IPv6 addresses have no brackets. */
  ports: ReadonlySet<string>;
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

export const nothingAllowed: AllowedAddresses = { hosts: new Set(), ports: new Set(), ranges: [] };

export type ParsedAllowedAddresses = { kind: 'allowed'; allowed: AllowedAddresses } | { kind: 'bad'; message: string };

const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

export function parseAllowedAddresses(text: string): ParsedAllowedAddresses {
  const hosts = new Set<string>();
  const ports = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of text.split(',').map((part) => part.trim().toLowerCase())) {
    if (entry === '') continue;
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (isIP(entry) !== 0) {
      const address = ipaddr.parse(entry);
      ranges.push([address, address.kind() === 'ipv4' ? 32 : 128]);
    } else if (isHostName(entry)) hosts.add(entry);
    else if (isHostWithPort(entry)) ports.add(entry.replaceAll(/[[\]]/g, ''));
    else
      return { kind: 'bad', message: `"${entry}" is neither a host name, an address, a CIDR nor a host with a port` };
  }
  return { kind: 'allowed', allowed: { hosts, ports, ranges } };
}

function isHostName(text: string): boolean {
  return hostName.test(text) && !/(?:^|\.)\d+$/.test(text);
}

function isHostWithPort(text: string): boolean {
  const [, address = '', host = address, port = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  return (isIP(host) !== 0 || isHostName(host)) && Number(port) > 0 && Number(port) < 65_536;
}

/** Whether ALLOW_PRIVATE_ADDRESSES names this port of the host. Its address is then not checked. */
export function isPortAllowed({ hostname, port, protocol }: PlaceOfUrl, { ports }: AllowedAddresses): boolean {
  const number = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return ports.has(`${hostname.toLowerCase().replaceAll(/[[\]]/g, '')}:${number}`);
}
type PlaceOfUrl = Pick<URL, 'hostname' | 'port' | 'protocol'>;

/** Public-looking addresses of cloud metadata services. */
const cloudMetadata = new Set(['168.63.129.16']);

/** `::a.b.c.d` is deprecated by RFC 4291 2.5.5.1, but some stacks still route it to the IPv4 address. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.parts.slice(0, 6).every((part) => part === 0);
}

const nat64Prefix = ipaddr.IPv6.parse('64:ff9b::');

/** The IPv4 address that NAT64 reaches by this one (RFC 6052, 2.1). DNS64 gives such addresses to hosts without IPv6. */
function translatedIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  if (!(address instanceof ipaddr.IPv6) || !address.match(nat64Prefix, 96)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12)).toString();
}

/** `address`: an IP literal without brackets */
export function isAddressAllowed(address: string, allowed: AllowedAddresses): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  const inRange = allowed.ranges.some(
    ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
  );
  if (inRange) return true;
  const translated = translatedIpv4(parsed);
  if (translated !== undefined) return isAddressAllowed(translated, allowed);
  return parsed.range() === 'unicast' && !isIpv4Compatible(parsed) && !cloudMetadata.has(parsed.toString());
}

export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
  readonly host: string;

  constructor(host: string) {
    super(`${host} is a loopback, private or otherwise internal address`);
    this.host = host;
  }
}

type LookUpAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looks up a name, checks every answer and passes the same answers to the connection: a second look-up could differ (DNS rebinding).
 * One forbidden answer refuses the name, because the connection may choose any of them.
 */
export function guardedLookup(allowed: AllowedAddresses, lookUp: LookUpAll = dnsLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, []);
      const nameIsOpen = allowed.hosts.has(hostname.toLowerCase());
      if (!nameIsOpen && !addresses.every(({ address }) => isAddressAllowed(address, allowed))) {
        return callback(new AddressNotAllowedError(hostname), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
