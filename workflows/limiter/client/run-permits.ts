import { CancellationScope, condition, defineSignal, patched, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type Holder,
  type LimiterUpdate,
  type LimiterView,
  type Permit,
  type Throttle,
  limiterUpdateSignal,
} from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';
import type { AttemptOutcome, CallOutcome } from './call-outcome.ts';
import { Alarm } from '../alarm.ts';
import { LimiterConnection } from './limiter-connection.ts';
import { isOwnGrant } from './own-grants.ts';

export interface Grant {
  provider: ProviderPolicy;
  permitId: string;
  /** ms of the epoch. A call that might not end by then must not begin; its outcome is `unused`. */
  expiresAtMs: number;
  /** The limiter is silent; only the worker's share of the limits applies. */
  degraded: boolean;
  /** Run to which the permit was granted; another one if the run was reset meanwhile. */
  runId: string;
}

export interface PermitWatch {
  /** Whether the key's provider forbade the content of the call. */
  isForbidden(key: string): boolean;
  onWaiting(key: string): void;
  onGranted(grant: Grant): void;
}

/** State that survives continuing as new. */
export interface PermitsState {
  unused: { key: string; permitId: string; requestId: string; expiresAtMs: number }[];
  throttles: ({ key: string } & Throttle)[];
}

type PermitAnswer =
  | { kind: 'granted'; grant: Grant }
  /** The run continues as new before a grant. */
  | { kind: 'suspended' }
  /** The providers of all keys reject them. */
  | { kind: 'unauthorized'; key: string; reason: string };

interface PendingRequest {
  requestId: string;
  watch: PermitWatch;
  connection: LimiterConnection;
  resolve(answer: PermitAnswer): void;
}

/** Obtains the permits of one run from the limiters of its providers, in order of preference. */
export class RunPermits {
  readonly #connections: LimiterConnection[];
  readonly #pending = new Map<string, PendingRequest>();
  /** Permits granted while suspended, by request; the next run uses them. */
  readonly #unused = new Map<string, { key: string; permit: Permit }>();
  readonly #runKey: string;
  readonly #onChange: () => void;
  /** Rings when a throttle ends, which a limiter may not know, or not report. */
  readonly #alarm = new Alarm(() => this.#movePending(true));
  #suspended = false;

  /** `onChange` is called whenever the result of `view()` may change. */
  constructor(runKey: string, providers: ProviderPolicy[], onChange: () => void, resumed?: PermitsState) {
    this.#runKey = runKey;
    this.#onChange = onChange;
    const { workflowId, runId, originalExecutionRunId } = workflowInfo();
    // A reset changes the run's id, but not its original id.
    const isReset = runId !== originalExecutionRunId;
    const holder: Holder = { workflowId, firstRunId: runKey, ...(isReset && { runId }) };
    this.#connections = providers.map((provider) => {
      const throttles = (resumed?.throttles ?? []).filter(({ key }) => key === provider.key);
      const connection: LimiterConnection = new LimiterConnection(
        provider,
        holder,
        {
          onGranted: (permit, degraded, runId) => this.#receiveGrant(connection, permit, degraded, runId),
          onThrottleChanged: () => this.#movePending(),
          onChange,
        },
        throttles,
      );
      return connection;
    });
    for (const { key, ...permit } of resumed?.unused ?? []) {
      this.#unused.set(permit.requestId, { key, permit });
      this.#connectionTo(key)?.takeOver(permit);
    }
    this.#setAlarm();
    setHandler(defineSignal<[LimiterUpdate]>(limiterUpdateSignal), (update) => {
      // Updates for an earlier run with this workflow id are ignored: its permits expire.
      if (update.to.firstRunId === holder.firstRunId) this.#connectionTo(update.key)?.receive(update);
    });
  }

  /**
   * Waits for a permit of the first key that is not throttled, makes the call and gives the permit back. Requests another permit
   * after a lost worker and after a rate limit at a key that throttles. Returns undefined if the run is suspended first.
   * `requestId` identifies the call: it stays the same after continuing as new and differs between calls.
   */
  async withPermit(
    requestId: string,
    call: (grant: Grant) => Promise<CallOutcome>,
    watch: PermitWatch,
  ): Promise<{ key: string; outcome: AttemptOutcome } | undefined> {
    for (;;) {
      const answer = await this.#requestPermit(requestId, watch);
      if (answer.kind === 'suspended') return undefined;
      if (answer.kind === 'unauthorized') {
        return { key: answer.key, outcome: { kind: 'unauthorized', message: answer.reason, called: false } };
      }
      const { grant } = answer;
      const outcome = await this.#callUnder(grant, call);
      const { key, throttle } = grant.provider;
      switch (outcome.kind) {
        case 'unused':
          // Older versions requested the next permit at once, without limit.
          if (!patched('unused-permits-have-a-limit')) break;
          return { key, outcome };
        case 'held_back':
        case 'lost':
          break;
        case 'rate_limited':
          // The next request waits for the end of the throttle or moves to the next key.
          if (throttle !== undefined) break;
          return { key, outcome };
        case 'unauthorized':
          // The next request moves to the next key.
          if (!this.#candidates(watch).every(isUnauthorized)) break;
          return { key, outcome };
        case 'ok':
        case 'failed':
          return { key, outcome };
      }
    }
  }

  view(): LimiterView[] {
    return this.#connections.map((connection) => connection.view());
  }

  /** Starts no more calls; each `withPermit` settles once its call in progress has ended. */
  suspend(): void {
    this.#suspended = true;
    // The requests stay queued at their limiters, because the next run repeats them.
    for (const request of this.#pending.values()) request.resolve({ kind: 'suspended' });
  }

  /** Returns the state for the next run. Every `withPermit` must have settled. */
  async handOver(): Promise<PermitsState> {
    await condition(() => this.#connections.every((connection) => connection.isIdle));
    return {
      unused: [...this.#unused.values()].map(({ key, permit }) => ({ key, ...permit })),
      throttles: this.#connections.flatMap(({ provider: { key }, throttles }) =>
        throttles.map((throttle) => ({ key, ...throttle })),
      ),
    };
  }

  /** Gives back all permits and withdraws all requests. Must be called, outside of cancellation, before the run ends. */
  async leave(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.leave()));
  }

  async #callUnder(grant: Grant, call: (grant: Grant) => Promise<CallOutcome>): Promise<CallOutcome> {
    let outcome: CallOutcome = { kind: 'unused', message: 'The call was interrupted', called: true };
    try {
      outcome = await call(grant);
      return outcome;
    } finally {
      this.#connectionTo(grant.provider.key)?.endCall(grant.permitId, outcome);
      this.#onChange();
    }
  }

  async #requestPermit(requestId: string, watch: PermitWatch): Promise<PermitAnswer> {
    if (this.#suspended) return { kind: 'suspended' };
    const grant = this.#takeUnused(requestId);
    if (grant !== undefined) {
      watch.onGranted(grant);
      return { kind: 'granted', grant };
    }
    const candidates = this.#candidates(watch);
    const refusal = refusalOf(candidates);
    if (refusal !== undefined) return refusal;
    const connection = chooseConnection(candidates);
    const answered = new Promise<PermitAnswer>((resolve) =>
      this.#pending.set(requestId, { requestId, watch, connection, resolve }),
    );
    watch.onWaiting(connection.provider.key);
    connection.request(requestId);
    try {
      // `cancelRequested` never resolves; it only rejects.
      return await Promise.race([answered, CancellationScope.current().cancelRequested]);
    } catch (error) {
      this.#pending.get(requestId)?.connection.withdraw(requestId);
      this.#pending.delete(requestId);
      throw error;
    }
  }

  /** A permit that was granted to the previous run while it was suspended. */
  #takeUnused(requestId: string): Grant | undefined {
    const unused = this.#unused.get(requestId);
    if (unused === undefined) return undefined;
    this.#unused.delete(requestId);
    const connection = this.#connectionTo(unused.key);
    if (connection === undefined || unused.permit.expiresAtMs <= Date.now()) return undefined;
    // Older versions made the call as under a limiter's permit, outside the worker's share.
    const degraded =
      isOwnGrant(unused.permit.permitId, this.#runKey) && patched('own-permits-keep-the-share-of-their-worker');
    return toGrant(connection, unused.permit, degraded);
  }

  #receiveGrant(connection: LimiterConnection, permit: Permit, degraded: boolean, runId?: string): void {
    const request = this.#pending.get(permit.requestId);
    if (this.#suspended && request !== undefined) {
      this.#unused.set(permit.requestId, { key: connection.provider.key, permit });
      return;
    }
    if (request === undefined || request.connection !== connection) {
      connection.giveBack({ permitId: permit.permitId, outcome: { kind: 'unused' } });
      return;
    }
    this.#pending.delete(permit.requestId);
    const grant = toGrant(connection, permit, degraded, runId);
    request.watch.onGranted(grant);
    request.resolve({ kind: 'granted', grant });
  }

  /** Moves pending requests to the best key. `stays`: those at a key without a throttle keep their place in its queue. */
  #movePending(stays = false): void {
    if (this.#suspended) return;
    for (const request of this.#pending.values()) {
      const candidates = this.#candidates(request.watch);
      const refusal = refusalOf(candidates);
      const connection = chooseConnection(stays ? [request.connection, ...candidates] : candidates);
      if (refusal === undefined && request.connection === connection) continue;
      request.connection.withdraw(request.requestId);
      if (refusal !== undefined) {
        this.#pending.delete(request.requestId);
        request.resolve(refusal);
        continue;
      }
      request.connection = connection;
      request.watch.onWaiting(connection.provider.key);
      connection.request(request.requestId);
    }
    this.#setAlarm();
  }

  #setAlarm(): void {
    const endsMs = this.#connections.flatMap(({ throttle }) => (throttle === undefined ? [] : [throttle.untilMs]));
    if (this.#connections.length === 1 || endsMs.length === 0) return;
    // Older versions left the requests at the other key.
    if (patched('requests-return-after-a-throttle')) this.#alarm.ringBy(Math.min(...endsMs));
  }

  /** The keys that may serve a request. */
  #candidates({ isForbidden }: PermitWatch): LimiterConnection[] {
    return this.#connections.filter(({ provider }) => !isForbidden(provider.key));
  }

  #connectionTo(key: string): LimiterConnection | undefined {
    return this.#connections.find(({ provider }) => provider.key === key);
  }
}

/** If the providers reject all these keys, waiting is pointless. */
function refusalOf(connections: readonly LimiterConnection[]): PermitAnswer | undefined {
  const [first] = connections;
  if (first?.throttle === undefined || !connections.every(isUnauthorized)) return undefined;
  return { kind: 'unauthorized', key: first.provider.key, reason: first.throttle.reason };
}

/** The first key without a throttle; otherwise the one whose throttle ends first, with rejected keys last. */
function chooseConnection(connections: readonly LimiterConnection[]): LimiterConnection {
  const open = connections.find(({ throttle }) => throttle === undefined);
  const bySoonest = connections.toSorted((a, b) => (a.throttle?.untilMs ?? 0) - (b.throttle?.untilMs ?? 0));
  const connection = open ?? bySoonest.find((each) => !isUnauthorized(each)) ?? bySoonest[0];
  if (connection === undefined) throw new TypeError('A run without providers requested a permit');
  return connection;
}

function isUnauthorized({ throttle }: LimiterConnection): boolean {
  return throttle?.unauthorized === true;
}

/** Limiters name the run only after a reset; a former run had the original id. */
function toGrant(
  { provider }: LimiterConnection,
  { permitId, expiresAtMs }: Permit,
  degraded: boolean,
  runId = workflowInfo().originalExecutionRunId,
): Grant {
  return { provider, permitId, expiresAtMs, degraded, runId };
}
