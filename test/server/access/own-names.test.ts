import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { requireOwnNames } from '../../../server/access/own-names.ts';

test.each([
  ['GET', '/', 'document', true],
  ['GET', '/runs/encode-talk', 'document', true],
  ['GET', '/', 'iframe', false],
  ['POST', '/', 'document', false],
  ['GET', '/api/runs', 'document', false],
  ['GET', '/API/runs', 'document', false],
  ['GET', '/media/talk.mp3', 'document', false],
])('allows a cross-site navigation %s %s as %s: %s', (method, path, dest, isFollowed) => {
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': dest };
  const request = { method, path, headers: { host: 'localhost:8088', ...headers } };
  const ask = (): void => void requireOwnNames(request as unknown as Request, {} as Response, () => undefined);
  if (isFollowed) expect(ask).not.toThrow();
  else expect(ask).toThrow('A page of another origin may not use this server.');
});
