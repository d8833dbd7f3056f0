import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';

/** What the command that runs the stack tells every other command of this folder. */
export interface StackFacts {
  pid: number;
  /** `start`, `encode` … */
  command: string;
  temporalAddress: string;
  namespace: string;
  taskQueue: string;
  uiUrl: string | undefined;
  containerUrls: string[];
  mediaRoot: string;
}

interface Guest {
  pid: number;
  command: string;
}

/** Of all commands of one folder the one that may start processes: it listens at the folder's socket, and whoever asks there learns the addresses. */
export class Owner {
  readonly #server: Server;
  readonly #guests = new Map<Socket, Guest>();
  readonly #waiting = new Set<Socket>();
  #facts: StackFacts | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.unref();
    server.on('connection', (socket) => {
      socket.unref();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#guests.delete(socket);
        this.#waiting.delete(socket);
      });
      createInterface({ input: socket }).on('line', (line) => this.#guests.set(socket, JSON.parse(line) as Guest));
      if (this.#facts === undefined) this.#waiting.add(socket);
      else socket.write(`${JSON.stringify(this.#facts)}\n`);
    });
  }

  /** The stack is up: answers those who wait. */
  announce(facts: StackFacts): void {
    this.#facts = facts;
    for (const socket of this.#waiting) socket.write(`${JSON.stringify(facts)}\n`);
    this.#waiting.clear();
  }

  guests(): Guest[] {
    return [...this.#guests.values()];
  }

  async untilAlone(): Promise<void> {
    while (this.#guests.size > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** Closing the server removes the socket file. */
  close(): void {
    this.#server.close();
    for (const socket of [...this.#guests.keys(), ...this.#waiting]) socket.destroy();
  }
}

export interface Neighbour {
  facts: StackFacts;
  /** The command that ran the stack has ended. */
  gone: Promise<void>;
  leave(): void;
}

/** Undefined where another command of this folder is the owner already. */
export async function becomeOwner(stateFolder: string): Promise<Owner | undefined> {
  mkdirSync(stateFolder, { recursive: true });
  const path = socketPath(stateFolder);
  const server = createServer();
  if (await listens(server, path)) return new Owner(server);
  if (await isAnswered(path)) return undefined;
  // Left by an owner that was killed. By rename, so that of two that find it only one takes it away.
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    rmSync(aside);
  } catch {
    // The other one was faster.
  }
  return (await listens(server, path)) ? new Owner(server) : undefined;
}

/** Joins the stack that another command of this folder runs; waits while it is still starting. Undefined where there is none. */
export async function joinOwner(stateFolder: string, command: string): Promise<Neighbour | undefined> {
  const socket = connect(socketPath(stateFolder));
  socket.on('error', () => undefined);
  const gone = once(socket, 'close').then(() => undefined);
  const connected = await Promise.race([once(socket, 'connect').then(() => true), gone]).catch(() => false);
  if (connected !== true) return undefined;
  socket.write(`${JSON.stringify({ pid: process.pid, command } satisfies Guest)}\n`);
  const line = await Promise.race([once(createInterface({ input: socket }), 'line'), gone]);
  if (line === undefined) return undefined;
  socket.unref();
  return { facts: JSON.parse(String(line[0])) as StackFacts, gone, leave: () => socket.destroy() };
}

/** Socket paths may hold only about 100 bytes, so the shorter of the two ways to write it, else a name in the temp folder made of the long one. */
function socketPath(stateFolder: string): string {
  const absolute = join(stateFolder, 'stack.sock');
  const fromHere = relative(process.cwd(), absolute);
  const shorter = fromHere.length < absolute.length ? fromHere : absolute;
  if (Buffer.byteLength(shorter) < 100) return shorter;
  return join(tmpdir(), `holdfast-${createHash('sha256').update(absolute).digest('hex').slice(0, 16)}.sock`);
}

async function listens(server: Server, path: string): Promise<boolean> {
  server.listen(path);
  return await once(server, 'listening').then(
    () => true,
    () => false,
  );
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  const answered = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return answered;
}
