import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** Facts that the owner of a stack sends to other commands of the same folder. */
export interface StackFacts {
  pid: number;
  /** `start`, `encode` … */
  command: string;
  temporalAddress: string;
  namespace: string;
  taskQueue: string;
  uiUrl: string | undefined;
  containerUrls: string[];
  /** Undefined if the stack has no server. */
  serverUrl?: string;
  mediaRoot: string;
  /** The owner stops the parts of the stack; Temporal stops last. */
  isStopping?: true;
}

interface AttachedCommand {
  pid: number;
  command: string;
}

/** The one command of a folder that may start processes. It sends its addresses to other commands over the folder's socket. */
export class Owner {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #attached = new Map<Socket, AttachedCommand>();
  #facts: StackFacts | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.unref();
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.unref();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#attached.delete(socket);
        this.#sockets.delete(socket);
      });
      linesOf(socket).on('line', (line) => {
        this.#attached.set(socket, JSON.parse(line) as AttachedCommand);
        // The owner knows each command that has its facts, and stops after all of them.
        if (this.#facts !== undefined) socket.write(`${JSON.stringify(this.#facts)}\n`);
      });
    });
  }

  /** Sends the facts of the running stack to the waiting commands. */
  announce(facts: StackFacts): void {
    this.#facts = facts;
    for (const socket of this.#attached.keys()) socket.write(`${JSON.stringify(facts)}\n`);
  }

  /** Tells new commands that the stack is about to stop. */
  withdraw(): void {
    if (this.#facts !== undefined) this.#facts = { ...this.#facts, isStopping: true };
  }

  attachedCommands(): AttachedCommand[] {
    return [...this.#attached.values()];
  }

  async untilNoneAttached(): Promise<void> {
    while (this.#attached.size > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** Closing the server removes the socket file. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** A command's connection to the owner of its stack. */
export interface Attachment {
  facts: StackFacts;
  /** Resolves when the owner has ended. */
  ownerEnded: Promise<void>;
  detach(): void;
}

/** Undefined if another command of this folder is already the owner. */
export async function becomeOwner(stateFolder: string): Promise<Owner | undefined> {
  mkdirSync(stateFolder, { recursive: true });
  const path = socketPath(stateFolder);
  const server = createServer();
  if (await tryListen(server, path)) return new Owner(server);
  if (await isAnswered(path)) return undefined;
  // The socket belongs to a killed owner. Rename lets only one of two commands remove it.
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    rmSync(aside);
  } catch {
    // Another command has removed it.
  }
  return (await tryListen(server, path)) ? new Owner(server) : undefined;
}

/** Time after which a command says that it waits. An owner whose stack is up answers at once. */
const slowMs = 2_000;

/**
 * Attaches to the stack of another command of this folder, once it is up. Undefined if there is none. If the stack stops,
 * this waits for its end, unless `mayStop`. An abort of `signal` ends the wait with its reason; a suspended owner never
 * answers.
 */
export async function attachToOwner(
  stateFolder: string,
  command: string,
  {
    signal,
    onSlow = () => undefined,
    mayStop = false,
  }: { signal?: AbortSignal; onSlow?: () => void; mayStop?: boolean } = {},
): Promise<Attachment | undefined> {
  const socket = connect(socketPath(stateFolder));
  socket.on('error', () => undefined);
  const ownerEnded = once(socket, 'close').then(() => undefined);
  const connected = await Promise.race([once(socket, 'connect').then(() => true), ownerEnded]).catch(() => false);
  if (connected !== true) return undefined;
  socket.write(`${JSON.stringify({ pid: process.pid, command } satisfies AttachedCommand)}\n`);
  const slow = setTimeout(onSlow, slowMs);
  const lines = linesOf(socket);
  const untilLine = async (): Promise<StackFacts | undefined> => {
    const line = await Promise.race([once(lines, 'line', { signal }), ownerEnded]);
    const facts = line && (JSON.parse(String(line[0])) as StackFacts);
    return facts?.isStopping === true && !mayStop ? await untilLine() : facts;
  };
  const facts = await untilLine()
    .catch(() => {
      socket.destroy();
      signal?.throwIfAborted();
      // The connection was reset, because the owner has been killed.
      return undefined;
    })
    .finally(() => clearTimeout(slow));
  if (facts === undefined) return undefined;
  socket.unref();
  return { facts, ownerEnded, detach: () => socket.destroy() };
}

/** readline repeats each error of its socket. Without a listener, such an error would end this process. */
function linesOf(socket: Socket): Interface {
  return createInterface({ input: socket }).on('error', () => undefined);
}

/** Socket paths are limited to about 100 bytes: the shorter of absolute and relative path, else a hash in the temp folder. */
function socketPath(stateFolder: string): string {
  const absolute = join(stateFolder, 'stack.sock');
  const fromHere = relative(process.cwd(), absolute);
  const shorter = fromHere.length < absolute.length ? fromHere : absolute;
  if (Buffer.byteLength(shorter) < 100) return shorter;
  return join(tmpdir(), `holdfast-${createHash('sha256').update(absolute).digest('hex').slice(0, 16)}.sock`);
}

async function tryListen(server: Server, path: string): Promise<boolean> {
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
