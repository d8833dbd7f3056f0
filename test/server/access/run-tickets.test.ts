import { expect, test } from 'vitest';
import { RunTickets, type Ticket } from '../../../server/access/run-tickets.ts';

const secret = 'a secret of at least 32 characters';
const ticket: Ticket = { id: 'encode-secret-plans', runId: 'run', output: 1, exp: Math.floor(Date.now() / 1000) + 60 };

test('opens its run at every server with the same key, and shows nothing of it', async () => {
  const issued = await new RunTickets(secret, 'zip').issue(ticket);
  expect(await new RunTickets(secret, 'zip').read(issued)).toEqual(ticket);
  const readable = issued.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  expect(readable.join()).not.toMatch(/encode|plans|run/);
});

test('refuses tickets that are damaged, of another purpose or of another key', async () => {
  const shares = new RunTickets(secret, 'share');
  const issued = await shares.issue(ticket);
  const damaged = [issued.slice(0, -2), issued.replace(/\.[^.]+$/, '.AAAAAAAAAAAAAAAAAAAAAA'), '', 'x', '....'];
  for (const wrong of [...damaged, await new RunTickets(secret, 'zip').issue(ticket)]) {
    await expect(shares.read(wrong), wrong).rejects.toMatchObject({ code: 'not_found' });
  }
  for (const other of [new RunTickets(`${secret}!`, 'share'), new RunTickets(undefined, 'share')]) {
    await expect(other.read(issued)).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('refuses a ticket after its time', async () => {
  const shares = new RunTickets(undefined, 'share');
  const past = await shares.issue({ ...ticket, exp: Math.floor(Date.now() / 1000) - 1 });
  await expect(shares.read(past)).rejects.toMatchObject({ code: 'link_expired', status: 410 });
});
