import { CancellationScope, condition, defineSignal, patched, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type LimiterUpdate,
  type LimiterView,
  type Permit,
  type Throttle,
  limiterUpdateSignal,
} from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';
import type { AttemptOutcome, CallOutcome } from './call-outcome.ts';
import { LimiterConnection } from './limiter-connection.ts';

/** Leave to make one call. */
export interface Grant {
  provider: ProviderPolicy;
  permitId: string;
  /** ms of the epoch. A call that may not have ended by then must not begin; its outcome is `unused`. */
  expiresAtMs: number;
  /** The limiter did not answer: only the worker's own limit holds. */
  degraded: boolean;
}

/** Told what a request waits for. */
export interface PermitWatch {
  onWaiting(key: string): void;
  onGranted(grant: Grant): void;
}

/** What must survive the run's continuing as new. */
export interface PermitsState {
  unused: { key: string; permitId: string; requestId: string; expiresAtMs: number }[];
  throttles: ({ key: string } & Throttle)[];
}

type PermitAnswer =
  | { kind: 'granted'; grant: Grant }
  /** The run goes on in a new history before there was a grant. */
  | { kind: 'suspended' }
  /** By the providers of all keys. */
  | { kind: 'unauthorized'; key: string; reason: string };

interface PendingRequest {
  requestId: string;
  watch: PermitWatch | undefined;
  /** To the limiter where it is queued. */
  connection: LimiterConnection;
  resolve(answer: PermitAnswer): void;
}

/** The permits of one run, from the limiters of its providers in their order of preference. One for each run. */
export class RunPermits {
  readonly #connections: LimiterConnection[];
  readonly #pending = new Map<string, PendingRequest>();
  /** By request. Granted while suspended; the next run uses them. */
  readonly #unused = new Map<string, { key: string; permit: Permit }>();
  readonly #onChange: () => void;
  #suspended = false;

  /** `onChange` is called whenever `view()` may give something else. */
  constructor(runKey: string, providers: ProviderPolicy[], onChange: () => void, resumed?: PermitsState) {
    this.#onChange = onChange;
    const holder = { workflowId: workflowInfo().workflowId, firstRunId: runKey };
    this.#connections = providers.map((provider) => {
      const throttle = resumed?.throttles.find(({ key }) => key === provider.key);
      const connection: LimiterConnection = new LimiterConnection(
        provider,
        holder,
        {
          onGranted: (permit, degraded) => this.#receiveGrant(connection, permit, degraded),
          onThrottleChanged: () => this.#movePending(),
          onChange,
        },
        throttle,
      );
      return connection;
    });
    for (const { key, ...permit } of resumed?.unused ?? []) {
      this.#unused.set(permit.requestId, { key, permit });
      this.#connectionTo(key)?.takeOver(permit);
    }
    setHandler(defineSignal<[LimiterUpdate]>(limiterUpdateSignal), (update) => {
      // One for an earlier workflow of our id is ignored: its permits end at their expiry.
      if (update.to.firstRunId === holder.firstRunId) this.#connectionTo(update.key)?.receive(update);
    });
  }

  /**
   * Waits for a permit of the first key that is not throttled, makes the call under it and gives it back. After a lost worker,
   * and after a rate limit at a key that throttles, it requests another permit. Undefined where the run was suspended first.
   * `requestId` must be the same when the run requests the same call again after continuing as new, and another one for another call.
   */
  async withPermit(
    requestId: string,
    call: (grant: Grant) => Promise<CallOutcome>,
    watch?: PermitWatch,
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
          // A run of the former version requested the next permit at once, for ever.
          if (!patched('unused-permits-have-a-limit')) break;
          return { key, outcome };
        case 'held_back':
        case 'lost':
          break;
        case 'rate_limited':
          // Its next request waits for the end of the key's throttle, or goes to the next key.
          if (throttle !== undefined) break;
          return { key, outcome };
        case 'unauthorized':
          // Its next request goes to the next key.
          if (this.#refusal() === undefined) break;
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

  /** Starts no further call: each `withPermit` settles as soon as no call of its own is under way. */
  suspend(): void {
    this.#suspended = true;
    // They stay queued at their limiters: the next run requests the same.
    for (const request of this.#pending.values()) request.resolve({ kind: 'suspended' });
  }

  /** What the next run resumes from. To be called when every `withPermit` of the suspended run has settled. */
  async handOver(): Promise<PermitsState> {
    await condition(() => this.#connections.every((connection) => connection.isIdle));
    return {
      unused: [...this.#unused.values()].map(({ key, permit }) => ({ key, ...permit })),
      throttles: this.#connections.flatMap(({ provider, throttle }) =>
        throttle === undefined ? [] : [{ key: provider.key, ...throttle }],
      ),
    };
  }

  /** Gives back all permits and withdraws all requests. To be called, outside of cancellation, before the run ends in whatever way. */
  async leave(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.leave()));
  }

  async #callUnder(grant: Grant, call: (grant: Grant) => Promise<CallOutcome>): Promise<CallOutcome> {
    let outcome: CallOutcome = { kind: 'unused', message: 'The call was not made to its end', called: true };
    try {
      outcome = await call(grant);
      return outcome;
    } finally {
      this.#connectionTo(grant.provider.key)?.endCall(grant.permitId, outcome);
      this.#onChange();
    }
  }

  async #requestPermit(requestId: string, watch: PermitWatch | undefined): Promise<PermitAnswer> {
    if (this.#suspended) return { kind: 'suspended' };
    const grant = this.#takeUnused(requestId);
    if (grant !== undefined) {
      watch?.onGranted(grant);
      return { kind: 'granted', grant };
    }
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    const connection = this.#chooseConnection();
    const answered = new Promise<PermitAnswer>((resolve) =>
      this.#pending.set(requestId, { requestId, watch, connection, resolve }),
    );
    watch?.onWaiting(connection.provider.key);
    connection.request(requestId);
    try {
      // cancelRequested only ever rejects.
      return await Promise.race([answered, CancellationScope.current().cancelRequested]);
    } catch (error) {
      this.#pending.get(requestId)?.connection.withdraw(requestId);
      this.#pending.delete(requestId);
      throw error;
    }
  }

  /** Granted to the run before, while it was suspended. */
  #takeUnused(requestId: string): Grant | undefined {
    const unused = this.#unused.get(requestId);
    if (unused === undefined) return undefined;
    this.#unused.delete(requestId);
    const connection = this.#connectionTo(unused.key);
    if (connection === undefined || unused.permit.expiresAtMs <= Date.now()) return undefined;
    return toGrant(connection, unused.permit, false);
  }

  #receiveGrant(connection: LimiterConnection, permit: Permit, degraded: boolean): void {
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
    const grant = toGrant(connection, permit, degraded);
    request.watch?.onGranted(grant);
    request.resolve({ kind: 'granted', grant });
  }

  /** Where the providers refuse all keys, nothing is worth waiting for. */
  #refusal(): Extract<PermitAnswer, { kind: 'unauthorized' }> | undefined {
    const [first] = this.#connections;
    if (first?.throttle === undefined || !this.#connections.every(isUnauthorized)) return undefined;
    return { kind: 'unauthorized', key: first.provider.key, reason: first.throttle.reason };
  }

  /** The first whose key is not throttled; where all are, the one whose throttle ends first, and a key that is refused last. */
  #chooseConnection(): LimiterConnection {
    const open = this.#connections.find(({ throttle }) => throttle === undefined);
    const bySoonest = this.#connections.toSorted((a, b) => (a.throttle?.untilMs ?? 0) - (b.throttle?.untilMs ?? 0));
    const connection = open ?? bySoonest.find((each) => !isUnauthorized(each)) ?? bySoonest[0];
    if (connection === undefined) throw new TypeError('A run without providers requested a permit');
    return connection;
  }

  /** Pending requests move to another key while theirs is throttled, and back when it no longer is. */
  #movePending(): void {
    if (this.#suspended) return;
    const refusal = this.#refusal();
    if (refusal !== undefined) {
      for (const request of this.#pending.values()) {
        request.connection.withdraw(request.requestId);
        request.resolve(refusal);
      }
      this.#pending.clear();
      return;
    }
    const connection = this.#chooseConnection();
    for (const request of this.#pending.values()) {
      if (request.connection === connection) continue;
      request.connection.withdraw(request.requestId);
      request.connection = connection;
      request.watch?.onWaiting(connection.provider.key);
      connection.request(request.requestId);
    }
  }

  #connectionTo(key: string): LimiterConnection | undefined {
    return this.#connections.find(({ provider }) => provider.key === key);
  }
}

function isUnauthorized({ throttle }: LimiterConnection): boolean {
  return throttle?.unauthorized === true;
}

function toGrant({ provider }: LimiterConnection, { permitId, expiresAtMs }: Permit, degraded: boolean): Grant {
  return { provider, permitId, expiresAtMs, degraded };
}
