import { readFile } from 'node:fs/promises';
import { request, type ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { useService } from './support.ts';

const service = await useService();

interface Held {
  sent: ClientRequest;
  statuses: number[];
  answered: Promise<void>;
}

function hold(headers: Record<string, string>): Held {
  const body = JSON.stringify(service.encodeOf(service.never, 'held'));
  const statuses: number[] = [];
  const sent = request(`${service.container.url}/encode`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
  });
  const answered = new Promise<void>((resolve, reject) => {
    sent.on('information', ({ statusCode }) => statuses.push(statusCode));
    sent.on('response', (response) => {
      statuses.push(response.statusCode ?? 0);
      response.resume().on('end', resolve);
    });
    sent.on('error', reject);
  });
  sent.end(body);
  return { sent, statuses, answered };
}

async function cancelActive(): Promise<void> {
  await service.container.call('DELETE', `/jobs/${await service.activeJob()}`);
}

test('sends 102 to a client that prefers it while its job runs', async () => {
  const { statuses, answered } = hold({ prefer: 'wait=5, processing' });
  await service.container.process.until('102', () => statuses.length > 0);
  await cancelActive();
  await answered;
  expect(statuses).toEqual([102, 499]);
});

test('sends no 102 to a client that does not ask for it', async () => {
  const { statuses, answered } = hold({});
  await cancelActive();
  await answered;
  expect(statuses).toEqual([499]);
});

test('sends no 102 to a client of HTTP/1.0', async () => {
  const body = JSON.stringify(service.encodeOf(service.never, 'old'));
  const socket = connect(Number(new URL(service.container.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(
    `POST /encode HTTP/1.0\r\nContent-Type: application/json\r\nPrefer: processing\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await cancelActive();
  await closed;
  expect(text.match(/^HTTP\/1\.\d \d+/gm)).toEqual(['HTTP/1.1 499']);
});

test('keeps the connection usable after HEAD of the events of a running job', async () => {
  const { answered } = hold({});
  const jobId = await service.activeJob();
  const socket = connect(Number(new URL(service.container.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.write(
    `HEAD /jobs/${jobId}/events HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  await service.container.process.until('answer to the second', () => text.includes('"healthy"'));
  expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  socket.destroy();
  await cancelActive();
  await answered;
});

test('enables TCP keep-alive for silent clients', async () => {
  const { sent, answered } = hold({});
  await service.activeJob();
  const port = Number(new URL(service.container.url).port).toString(16).toUpperCase().padStart(4, '0');
  // https://docs.kernel.org/networking/proc_net_tcp.html: local address, peer, state (01: established), queues, timer (02: keep-alive)
  const isAsked = async (): Promise<boolean> => {
    const accepted = (await readFile('/proc/net/tcp', 'latin1'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === '01');
    return accepted.length > 0 && accepted.every(([, , , , , timer = '']) => timer.startsWith('02:'));
  };
  await service.container.process.until('keep-alive timer', isAsked);
  await cancelActive();
  await answered;
  sent.destroy();
});
