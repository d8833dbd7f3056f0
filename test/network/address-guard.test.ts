import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  AddressNotAllowedError,
  guardedLookup,
  isAddressAllowed,
  nothingAllowed,
  parseAllowedAddresses,
} from '../../network/address-guard.ts';
import { createMediaAgent } from '../../container/transfer/http-agent.ts';
import { request } from 'undici';

function allowing(text: string) {
  const parsed = parseAllowedAddresses(text);
  if (parsed.kind === 'bad') throw new Error(parsed.message);
  return parsed.allowed;
}

describe('addresses', () => {
  test.each([
    ['8.8.8.8', true],
    ['1.1.1.1', true],
    ['172.15.255.255', true],
    ['172.32.0.0', true],
    ['192.167.255.255', true],
    ['100.63.255.255', true],
    ['2606:4700:4700::1111', true],
    ['::ffff:8.8.8.8', true],
    // loopback, unspecified, private, link-local, carrier-grade NAT
    ['127.0.0.1', false],
    ['127.255.255.254', false],
    ['0.0.0.0', false],
    ['0.1.2.3', false],
    ['10.0.0.1', false],
    ['172.16.0.1', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['169.254.1.1', false],
    ['100.64.0.1', false],
    // protocol assignments, documentation, benchmarks, 6to4 relay, multicast, reserved, broadcast
    ['192.0.0.8', false],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['192.88.99.1', false],
    ['224.0.0.1', false],
    ['239.255.255.255', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
    // metadata services: AWS and most others, Azure, Alibaba, Oracle, AWS and GCP over IPv6
    ['169.254.169.254', false],
    ['168.63.129.16', false],
    ['100.100.100.200', false],
    ['192.0.0.192', false],
    ['fd00:ec2::254', false],
    ['fd20:ce::254', false],
    // IPv6 of the same kinds
    ['::1', false],
    ['::', false],
    ['fe80::1', false],
    ['fec0::1', false],
    ['fc00::1', false],
    ['fdff::1', false],
    ['ff02::1', false],
    ['2001:db8::1', false],
    ['3fff::1', false],
    ['100::1', false],
    ['5f00::1', false],
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::ffff:10.0.0.1', false],
    ['::ffff:169.254.169.254', false],
    ['::127.0.0.1', false],
    ['::808:808', false],
    ['::ffff:0:127.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::169.254.169.254', false],
    ['64:ff9b::8.8.8.8', true],
    ['64:ff9b:1::a00:1', false],
    ['2002:7f00:1::', false],
    ['2001::1', false],
    // not an address
    ['localhost', false],
    ['', false],
    ['2130706433', false],
    ['0x7f.1', false],
  ])('decides whether a connection to %s is allowed: %s', (address, allowed) => {
    expect(isAddressAllowed(address, nothingAllowed)).toBe(allowed);
  });
});

describe('ALLOW_PRIVATE_ADDRESSES', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', true],
    ['10.0.0.0/8', '192.168.0.1', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['127.0.0.1', '::1', false],
    ['::1', '::1', true],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe80::1', false],
    [' 10.0.0.0/8 , ::1,', '::1', true],
    ['store.internal', '10.0.0.1', false],
    ['169.254.169.254', '169.254.169.254', true],
    ['', '127.0.0.1', false],
  ])('applies the setting "%s" to the address %s: %s', (text, address, allowed) => {
    expect(isAddressAllowed(address, allowing(text))).toBe(allowed);
  });

  test.each(['10.0.0.0/33', '1.2.3', 'a b', 'http://x', '*.internal', '-x', '10.0.0.1-10.0.0.9', '::1/129'])(
    'rejects the setting "%s" and names it',
    (text) => {
      expect(parseAllowedAddresses(`localhost,${text}`)).toEqual({
        kind: 'bad',
        message: expect.stringContaining(`"${text}"`),
      });
    },
  );
});

describe('names', () => {
  const resolve = (host: string, allowed = nothingAllowed, all = true) =>
    new Promise<string | LookupAddress[]>((done, fail) => {
      guardedLookup(allowed)(host, { all }, (error, found) => (error === null ? done(found) : fail(error)));
    });

  test('refuses a name that resolves to loopback, whichever form of answer is requested', async () => {
    await expect(resolve('localhost')).rejects.toThrow(AddressNotAllowedError);
    await expect(resolve('localhost', nothingAllowed, false)).rejects.toThrow(AddressNotAllowedError);
  });

  test('accepts a name if it or all of its addresses are allowed', async () => {
    expect(await resolve('LOCALHOST', allowing('localhost'))).not.toHaveLength(0);
    expect(await resolve('localhost', allowing('127.0.0.0/8,::1'), false)).toMatch(/^127\.0\.0\.1$|^::1$/);
    await expect(resolve('localhost', allowing('localhost.example'))).rejects.toThrow(AddressNotAllowedError);
  });

  test.each([[['8.8.8.8', '10.0.0.1']], [['10.0.0.1', '8.8.8.8']]])(
    'refuses a name with a public and a private address: %j',
    (addresses) => {
      const answer = addresses.map((address) => ({ address, family: 4 }));
      let refusal: Error | null = null;
      const lookUp = guardedLookup(nothingAllowed, (_name, _options, callback) => callback(null, answer));
      lookUp('both.example', {}, (error) => (refusal = error));
      expect(refusal).toBeInstanceOf(AddressNotAllowedError);
    },
  );
});

describe('a port of a host', () => {
  const ask = async (url: string, setting: string) =>
    await request(url, { dispatcher: createMediaAgent(allowing(setting), 1) });

  test.each([
    ['http://127.0.0.1:1/', '127.0.0.1:1'],
    ['http://LOCALHOST:1/', 'localhost:1'],
    ['http://[::1]:1/', '[::1]:1'],
  ])('reaches %s if the setting has %s', async (url, setting) => {
    // Port 1 is closed.
    await expect(ask(url, setting)).rejects.toMatchObject({
      code: expect.stringMatching(/^E(?:CONNREFUSED|ADDRNOTAVAIL)/),
    });
  });

  test.each([
    ['http://127.0.0.1:2/', '127.0.0.1:1'],
    ['http://127.0.0.2:1/', '127.0.0.1:1'],
    ['http://localhost:1/', '127.0.0.1:1'],
    ['http://127.0.0.1/', '127.0.0.1:81'],
  ])('refuses %s if the setting has only %s', async (url, setting) => {
    await expect(ask(url, setting)).rejects.toThrow(AddressNotAllowedError);
  });

  test('reports a reset if a connection of an allowed address is lost before its remote address is known', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const loseConnection = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      socket.once('connect', () => socket.destroy());
    };
    subscribe('net.client.socket', loseConnection);
    try {
      await expect(ask(`http://127.0.0.1:${port}/`, '127.0.0.1')).rejects.toMatchObject({ code: 'ECONNRESET' });
    } finally {
      unsubscribe('net.client.socket', loseConnection);
      server.close();
    }
  });

  test.each(['127.0.0.1:0', '127.0.0.1:65536', 'a b:1', '::1:80x', ':80'])('rejects the setting %s', (text) => {
    expect(parseAllowedAddresses(text).kind).toBe('bad');
  });
});

describe('spellings of a URL', () => {
  const agent = createMediaAgent(nothingAllowed, 1);

  test.each([
    'http://127.0.0.1:1/',
    'http://2130706433:1/',
    'http://0x7f000001:1/',
    'http://0x7f.0.0.1:1/',
    'http://0177.0.0.1:1/',
    'http://017700000001:1/',
    'http://127.1:1/',
    'http://127.0.1:1/',
    'http://0:1/',
    'http://127.0.0.1.:1/',
    'http://%31%32%37.0.0.1:1/',
    'http://１２７.0.0.1:1/',
    'http://127。0。0。1:1/',
    'http://[::1]:1/',
    'http://[::]:1/',
    'http://[0:0:0:0:0:0:0:1]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://[::ffff:7f00:1]:1/',
    'http://[::127.0.0.1]:1/',
    'http://[::ffff:0:127.0.0.1]:1/',
    'http://[64:ff9b::127.0.0.1]:1/',
    'http://localhost:1/',
    'http://LocalHost:1/',
    'https://127.0.0.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
  ])('never connects to %s', async (url) => {
    // Port 1 is closed: a real connection would fail with another error.
    await expect(request(url, { dispatcher: agent })).rejects.toThrow(AddressNotAllowedError);
  });
});
