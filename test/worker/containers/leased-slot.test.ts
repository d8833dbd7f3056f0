import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ContainerClient } from '../../../activities/container/client.ts';
import { LeasedSlot } from '../../../worker/containers/leased-slot.ts';
import { MediaServer } from '../../fixtures/media-server.ts';

interface Reply {
  status: number;
  body: string;
}

const standing = (state: string): Reply => ({ status: 200, body: JSON.stringify({ state, instanceId: 'one' }) });

/** Answer of an older container. */
const knowsNoLeases: Reply = { status: 404, body: '{"success":false,"error":"There is no GET /slot here."}' };

let server: MediaServer;
let reply: (known: string | null) => Reply | 'hold';
let asked: string[];
let held: ServerResponse[];
/** State of the tasks' server and of the other containers. */
let world: { answers: boolean; wasAsked: boolean; isNowhere: boolean };
/** What the other workers learn of the container. */
let isReportedUsable: boolean | undefined;
let slot: LeasedSlot;

beforeEach(async () => {
  server = await MediaServer.start();
  [asked, held, world] = [[], [], { answers: true, wasAsked: false, isNowhere: false }];
  reply = (known) => (known === 'granted' ? 'hold' : standing('granted'));
  server.on('GET /slot', ({ url = '' }, response) => {
    const known = new URL(url, server.url).searchParams.get('known');
    asked.push(known ?? 'nothing');
    const answer = reply(known);
    if (answer === 'hold') held.push(response);
    else response.writeHead(answer.status).end(answer.body);
  });
  slot = new LeasedSlot(
    new ContainerClient(server.url, undefined),
    { containerUrl: server.url },
    { report: (_, isUsable) => (isReportedUsable = isUsable), isNowhere: async () => world.isNowhere },
    {
      line: 'queue',
      async answers() {
        world.wasAsked = true;
        return world.answers;
      },
    },
  );
});
afterEach(async () => {
  slot.releaseSlot();
  await server.stop();
});

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
}

const signal = new AbortController().signal;
const reserve = () => slot.reserveSlot({} as never, signal);

/** Answers further requests, and the one that is held, with this reply. */
function answerAll(now: Reply): void {
  reply = () => now;
  for (const response of held.splice(0)) response.writeHead(now.status).end(now.body);
}

describe('a slot whose lease is granted, while no task has come', () => {
  beforeEach(async () => {
    await reserve();
    await until(() => held.length > 0);
  });

  test('gives a task away if its container has died since and another works', async () => {
    await server.stop();
    expect(await slot.claim(signal)).toBe('turned_away');
    world.isNowhere = true;
    expect(await slot.claim(signal)).toEqual({ lease: undefined });
    server = await MediaServer.start();
  });

  test('gives a task away if another worker has the container now', async () => {
    answerAll(standing('waiting'));
    expect(await slot.claim(signal)).toBe('turned_away');
    answerAll(standing('granted'));
    expect(await slot.claim(signal)).toMatchObject({ lease: expect.any(String) });
  });

  test('leaves the worker free for other work when the container is replaced by one without leases', async () => {
    answerAll(knowsNoLeases);
    await until(() => asked.length > 1);
    // A loop without a pause would let no timer fire.
    const rung = await new Promise((resolve) => setTimeout(resolve, 1, 'rung'));
    expect(rung).toBe('rung');
    expect(asked.length).toBeLessThan(4);
  });

  test('gives its lease up if no server has tasks for it, and asks for another when one has', async () => {
    world = { ...world, answers: false, wasAsked: false };
    answerAll(standing('granted'));
    await until(() => world.wasAsked);
    const before = asked.length;
    world.answers = true;
    reply = (known) => (known === 'granted' ? 'hold' : standing('granted'));
    await until(() => asked.length > before);
    expect(asked.at(before)).toBe('nothing');
  });
});

describe('a slot that is offered as a last resort', () => {
  beforeEach(async () => {
    world.isNowhere = true;
    reply = () => standing('not_ready');
    await reserve();
    expect(isReportedUsable).toBe(false);
  });

  test('leases its container as soon as that works, before a task comes', async () => {
    reply = (known) => (known === 'granted' ? 'hold' : standing('granted'));
    await until(() => held.length > 0);
    expect(isReportedUsable).toBe(true);
    expect(await slot.claim(signal)).toMatchObject({ lease: expect.any(String) });
  });

  test('serves a container without leases as soon as that works, before a task comes', async () => {
    reply = () => knowsNoLeases;
    await until(() => isReportedUsable === true);
    expect(await slot.claim(signal)).toEqual({ lease: undefined });
  });
});

describe('an address at which several containers answer in turn', () => {
  let containers: string[];
  const answerInTurn = (...ids: string[]): void => {
    containers = ids;
    let answers = 0;
    const next = (): string => containers[answers++ % containers.length] ?? '';
    reply = (known) =>
      known === 'granted' && containers.length === 1
        ? 'hold'
        : { status: 200, body: JSON.stringify({ state: 'granted', instanceId: next() }) };
    server.on('GET /health', (_, response) => {
      response.end(JSON.stringify({ status: 'healthy', activeJobs: 0, jobs: [], instanceId: next() }));
    });
  };

  test('takes no task while another container works', async () => {
    answerInTurn('one', 'two');
    const reserved = reserve();
    await until(() => asked.length > 1);
    world.isNowhere = true;
    await reserved;
    world.isNowhere = false;
    expect(await slot.claim(signal)).toBe('turned_away');
  });

  test('fails a task with the reason if no other container works', async () => {
    answerInTurn('one', 'two', 'three');
    world.isNowhere = true;
    await reserve();
    await expect(slot.claim(signal)).rejects.toThrow(
      'Several containers answer at one address, as behind a load balancer. List the address of each container',
    );
  });

  test('takes tasks again once one container answers alone', async () => {
    answerInTurn('one', 'two');
    const reserved = reserve();
    await until(() => asked.length > 1);
    answerInTurn('two');
    await reserved;
    expect(await slot.claim(signal)).toMatchObject({ lease: expect.any(String) });
  });

  test('keeps its slot after a restart, which changes the container once', async () => {
    answerInTurn('one');
    await reserve();
    answerInTurn('two');
    expect(await slot.claim(signal)).toMatchObject({ lease: expect.any(String) });
  });
});

describe('a container that answers no container’s answer', () => {
  test.each([
    ['another token', { status: 401, body: '{"code":"unauthorized"}' }],
    ['a page with success', { status: 200, body: '<html>hello</html>' }],
    ['an error', { status: 500, body: 'oops' }],
    ['a proxy that does not know it', { status: 404, body: '<html>default backend</html>' }],
    ['a redirect', { status: 301, body: '' }],
    ['a gateway', { status: 502, body: '' }],
  ])('takes no task while another container works, and any task if none does: %s', async (_, answer) => {
    reply = () => answer;
    const reserved = reserve();
    await until(() => asked.length > 1);
    world.isNowhere = true;
    await reserved;
    expect(await slot.claim(signal)).toEqual({ lease: undefined });
    world.isNowhere = false;
    expect(await slot.claim(signal)).toBe('turned_away');
  });

  test('takes a container without leases as free', async () => {
    reply = () => knowsNoLeases;
    await reserve();
    expect(await slot.claim(signal)).toEqual({ lease: undefined });
  });
});
