import type { ContainerPlace } from '../../contract/activity.ts';
import { isTlsFailure, untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import type { JobUsage } from '../../contract/usage.ts';

/** The container is gone or the network failed: there was no usable answer. */
export class ConnectionLost extends Error {
  override readonly name: string = 'ConnectionLost';
  readonly containerUrl: string;
  readonly errno: string | undefined;
  /** False if no connection was made, so that the container cannot have received the request. */
  readonly mayHaveArrived: boolean;
  /** Set if the container's certificate is not trusted; retrying is pointless. */
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

interface ProxyFacts {
  status: number;
  what: string;
  location: string | undefined;
  retryAfterSeconds: number | undefined;
}

/** A proxy answered because its backend is gone or unknown. */
export class ProxyAnswer extends ConnectionLost {
  override readonly name = 'ProxyAnswer';
  readonly status: number;
  /** Target of a redirect. The message lacks it: it may be an address of the container, and owners read messages. */
  readonly location: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(containerUrl: string, { status, what, location, retryAfterSeconds }: ProxyFacts) {
    const shown = what === '' ? `HTTP ${status}` : `HTTP ${status} (${what})`;
    super(undefined, containerUrl, `A proxy answered instead of the container: ${shown}`);
    this.status = status;
    this.location = location;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Several containers answer at one address. A job that one of them has would be unknown to the others. */
export class SharedAddress extends ConnectionLost {
  override readonly name = 'SharedAddress';
  constructor(containerUrl: string) {
    const message = 'Several containers answer at one address, as behind a load balancer';
    super(undefined, containerUrl, `${message}. List the address of each container in CONTAINER_URLS`);
  }
}

/** The container has forgotten a job that it had accepted. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  constructor() {
    super('Job was lost by a restarted container');
  }
}

/** A different container process than the job's own answered. */
export class OtherInstance extends Error {
  override readonly name = 'OtherInstance';
  constructor() {
    super('Another container now answers at the address of the job');
  }
}

/** Only workers on that machine can reach the address. Here it means another container or none. */
export class OtherMachine extends Error {
  override readonly name = 'OtherMachine';
  readonly place: ContainerPlace;

  constructor(place: ContainerPlace) {
    super('The container is reachable only on another machine. Set CONTAINER_ADVERTISED_URL or POD_IP for its worker.');
    this.place = place;
  }
}

export interface AnswerFacts {
  status: number;
  message: string;
  code?: string | undefined;
  details?: Record<string, unknown> | undefined;
  retryAfterSeconds?: number | undefined;
  /** Set if the answer reports the end of a job. */
  usage?: JobUsage | undefined;
}

export class ContainerAnswer extends Error {
  override readonly name = 'ContainerAnswer';
  readonly facts: AnswerFacts;

  constructor(facts: AnswerFacts) {
    super(facts.message);
    this.facts = facts;
  }

  /** Whether a user cancelled the job at the container. */
  get cancelled(): boolean {
    return this.facts.status === 499;
  }
}

/** A job that says it runs, but does not advance. Its container should have ended it long ago. */
export class JobSilent extends ContainerAnswer {
  constructor(minutes: number) {
    super({ status: 504, code: 'stalled', message: `The job has not advanced for ${minutes} minutes` });
  }
}

/** A container's answer that does not fit the request. A retry would trust a container that mixes up its jobs. */
export class UnexpectedReply extends ContainerAnswer {
  constructor(message: string, status = 200) {
    super({ status, code: 'unexpected_reply', message });
  }
}

/** Whether this worker cannot ask a container for its job. The job may still run. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ConnectionLost || error instanceof ContainerAnswer || error instanceof OtherMachine;
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const messageByErrno: Partial<Record<string, string>> = {
  ENOTFOUND: 'Container name not found in DNS',
  EAI_AGAIN: 'DNS lookup of the container name failed',
  UND_ERR_CONNECT_TIMEOUT: 'Connection to the container timed out',
  UND_ERR_HEADERS_TIMEOUT: 'Container did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'Container stopped sending in the middle of an answer',
};

function tlsMessage(errno: string | undefined): string | undefined {
  return errno !== undefined && isTlsFailure(errno) ? `No TLS connection to the container (${errno})` : undefined;
}
