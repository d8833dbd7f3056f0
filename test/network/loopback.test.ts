import { expect, test } from 'vitest';
import { isAskedAsLoopback, isLoopbackHost } from '../../network/loopback.ts';

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['api.localhost', true],
  ['127.0.0.1', true],
  ['127.9.8.7', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.1', false],
  ['127.0.0.1.evil.test', false],
  ['localhost.evil.test', false],
  ['evil-localhost', false],
  ['', false],
])('decides for the host %j whether it is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

test.each([
  [undefined, true],
  ['localhost:8088', true],
  ['[::1]:8088', true],
  ['127.0.0.1:', true],
  ['evil.test:127', false],
  ['localhost@evil.test', false],
])('decides for a Host header of %j whether it names this machine: %s', (header, expected) => {
  expect(isAskedAsLoopback(header)).toBe(expected);
});
