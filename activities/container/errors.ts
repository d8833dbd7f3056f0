import { isTlsFailure, untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import type { ContainerPlace } from '../../contract/activity.ts';

/** No usable answer came: the container is gone, or the network between. */
export class ConnectionLost extends Error {
  override readonly name: string = 'ConnectionLost';
  readonly containerUrl: string;
  readonly errno: string | undefined;
  /** False where no connection was made: the container cannot have received the request. */
  readonly mayHaveArrived: boolean;
  /** Where its certificate cannot be believed, and no other try helps. */
  readonly untrustedReason: string | undefined;

  constructor(cause: unknown, containerUrl: string, message?: string) {
    const errno = errnoOf(cause);
    super(message ?? messageByErrno[errno ?? ''] ?? tlsMessage(errno) ?? 'Container disconnected', { cause });
    this.containerUrl = containerUrl;
    this.errno = errno;
    this.mayHaveArrived = errno === undefined || !(neverConnected.has(errno) || isTlsFailure(errno));
    this.untrustedReason = untrustedReason(errno);
  }
}

/** Something else answered in the container's place: a proxy, whose backend is gone or which does not know it. */
export class ProxyAnswer extends ConnectionLost {
  override readonly name = 'ProxyAnswer';
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    containerUrl: string,
    { status, what, retryAfterSeconds }: { status: number; what: string; retryAfterSeconds: number | undefined },
  ) {
    const shown = what === '' ? `HTTP ${status}` : `HTTP ${status} (${what})`;
    super(undefined, containerUrl, `Something else answered in the container's place: ${shown}`);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The container does not know a job that it had accepted. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  constructor() {
    super('Job was lost by a restarted container');
  }
}

/** The answer came from another process than the one that has the job. */
export class OtherInstance extends Error {
  override readonly name = 'OtherInstance';
  constructor() {
    super('Another container answers at the address of the job');
  }
}

/** Whoever works on that machine is to try: here, the address means another container, or none. */
export class OtherMachine extends Error {
  override readonly name = 'OtherMachine';
  constructor({ containerUrl, machine }: ContainerPlace) {
    super(`${containerUrl} is an address of ${machine} alone. Set CONTAINER_ADVERTISED_URL or POD_IP at its worker.`);
  }
}

/** What an answer that is no success said, or what the end of a job amounts to. */
export interface AnswerFacts {
  status: number;
  message: string;
  code?: string | undefined;
  details?: Record<string, unknown> | undefined;
  retryAfterSeconds?: number | undefined;
}

export class ContainerAnswer extends Error {
  override readonly name = 'ContainerAnswer';
  readonly facts: AnswerFacts;

  constructor(facts: AnswerFacts) {
    super(facts.message);
    this.facts = facts;
  }

  /** Worth another attempt (docs/reference/errors.md). */
  get transient(): boolean {
    return transientStatuses.has(this.facts.status);
  }

  /** Somebody cancelled the job at the container itself. */
  get cancelled(): boolean {
    return this.facts.status === 499;
  }
}

const transientStatuses = new Set([429, 502, 503, 504]);

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const messageByErrno: Partial<Record<string, string>> = {
  ENOTFOUND: "Container's name is not known to DNS",
  EAI_AGAIN: "Container's name could not be looked up in DNS",
  UND_ERR_CONNECT_TIMEOUT: 'Container did not take the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'Container did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'Container fell silent in the middle of an answer',
};

function tlsMessage(errno: string | undefined): string | undefined {
  return errno !== undefined && isTlsFailure(errno) ? `No TLS connection to the container (${errno})` : undefined;
}
