import { CancellationScope, condition, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type CallReport,
  type LimiterUpdate,
  type LimiterView,
  type Permit,
  limiterUpdateSignal,
} from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';
import { LimiterConnection } from './limiter-connection.ts';
import type { Called, CallEnd, Permits, PermitsState, Grant, PermitWatch } from './permits.ts';

/** A wait for a permit, of whichever key. */
interface Wish {
  requestId: string;
  watch: PermitWatch | undefined;
  link: LimiterConnection;
  fulfil(grant: Grant): void;
}

class RunPermits implements Permits {
  readonly #links: LimiterConnection[];
  readonly #wishes = new Map<string, Wish>();
  /** Granted while suspended, for the run that goes on. */
  readonly #unused = new Map<string, { key: string; permit: Permit }>();
  readonly #changed: () => void;
  #calls = 0;
  #suspended = false;

  constructor(providers: ProviderPolicy[], changed: () => void, resumed: PermitsState | undefined) {
    this.#changed = changed;
    const { workflowId, firstExecutionRunId } = workflowInfo();
    const holder = { workflowId, firstRunId: firstExecutionRunId };
    this.#links = providers.map((provider) => {
      const throttle = resumed?.throttles.find(({ key }) => key === provider.key);
      const link: LimiterConnection = new LimiterConnection(
        provider,
        holder,
        {
          granted: (permit, degraded) => this.#granted(link, permit, degraded),
          throttleChanged: () => this.#reassign(),
          changed,
        },
        throttle && { untilMs: throttle.untilMs, reason: throttle.reason },
      );
      return link;
    });
    for (const { key, ...permit } of resumed?.unused ?? []) {
      this.#unused.set(permit.requestId, { key, permit });
      this.#linkOf(key)?.takeOver(permit);
    }
    setHandler(defineSignal<[LimiterUpdate]>(limiterUpdateSignal), (news) => {
      // What is meant for an earlier workflow of our id, the limiter will find out when that one's permits expire.
      if (news.to.firstRunId === holder.firstRunId) this.#linkOf(news.key)?.hear(news);
    });
  }

  async withPermit<Result>(
    requestId: string,
    call: (grant: Grant) => Promise<Called<Result>>,
    watch?: PermitWatch,
  ): Promise<CallEnd<Result>> {
    for (;;) {
      const grant = await this.#grant(requestId, watch);
      const called = await this.#callUnder(grant, call);
      const { key, throttle } = grant.provider;
      const where = { key, degraded: grant.degraded };
      switch (called.kind) {
        case 'unused':
          break;
        case 'rate_limited':
          // Back to the queue, where the key's throttle is waited for or the next key is taken.
          if (throttle !== undefined) break;
          return { ...where, ...called };
        case 'ok':
        case 'failed':
        case 'not_judged':
          return { ...where, ...called };
      }
    }
  }

  view(): LimiterView[] {
    return this.#links.map((link) => link.view());
  }

  async suspend(): Promise<PermitsState> {
    this.#suspended = true;
    await condition(() => this.#calls === 0 && this.#links.every((link) => link.isQuiet));
    return {
      unused: [...this.#unused.values()].map(({ key, permit }) => ({ key, ...permit })),
      throttles: this.#links.flatMap(({ provider, throttle }) =>
        throttle === undefined ? [] : [{ key: provider.key, ...throttle }],
      ),
    };
  }

  async leave(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.leave()));
  }

  async #callUnder<Result>(grant: Grant, call: (grant: Grant) => Promise<Called<Result>>): Promise<Called<Result>> {
    let outcome: CallReport = { kind: 'unused' };
    this.#calls += 1;
    try {
      const called = await call(grant);
      outcome = reportOf(called);
      return called;
    } finally {
      this.#calls -= 1;
      this.#linkOf(grant.provider.key)?.giveBack({ permitId: grant.permitId, outcome });
      this.#changed();
    }
  }

  async #grant(requestId: string, watch: PermitWatch | undefined): Promise<Grant> {
    const link = this.#preferred();
    const kept = this.#unused.get(requestId);
    if (kept !== undefined && !this.#suspended) {
      this.#unused.delete(requestId);
      const keptAt = this.#linkOf(kept.key);
      if (keptAt !== undefined && kept.permit.expiresAtMs > Date.now()) {
        const grant = grantOf(keptAt, kept.permit, false);
        watch?.granted(grant);
        return grant;
      }
    }
    const granted = new Promise<Grant>((fulfil) => this.#wishes.set(requestId, { requestId, watch, link, fulfil }));
    watch?.waiting(link.provider.key);
    link.ask(requestId);
    try {
      // cancelRequested only ever rejects.
      return await Promise.race([granted, CancellationScope.current().cancelRequested]);
    } catch (error) {
      this.#wishes.get(requestId)?.link.withdraw(requestId);
      this.#wishes.delete(requestId);
      throw error;
    }
  }

  #granted(link: LimiterConnection, permit: Permit, degraded: boolean): void {
    const wish = this.#wishes.get(permit.requestId);
    if (this.#suspended && wish !== undefined) {
      this.#unused.set(permit.requestId, { key: link.provider.key, permit });
      return;
    }
    if (wish === undefined || wish.link !== link) {
      link.giveBack({ permitId: permit.permitId, outcome: { kind: 'unused' } });
      return;
    }
    this.#wishes.delete(permit.requestId);
    const grant = grantOf(link, permit, degraded);
    wish.watch?.granted(grant);
    wish.fulfil(grant);
  }

  /** The first that is not throttled; where all are, the one that is open again first. */
  #preferred(): LimiterConnection {
    const open = this.#links.find(({ throttle }) => throttle === undefined);
    const bySoonest = this.#links.toSorted((a, b) => (a.throttle?.untilMs ?? 0) - (b.throttle?.untilMs ?? 0));
    const link = open ?? bySoonest[0];
    if (link === undefined) throw new TypeError('a run of no providers asked for a permit');
    return link;
  }

  /** Whoever waits moves on while a key is throttled, and back when it is open again. */
  #reassign(): void {
    if (this.#suspended) return;
    const link = this.#preferred();
    for (const wish of this.#wishes.values()) {
      if (wish.link === link) continue;
      wish.link.withdraw(wish.requestId);
      wish.link = link;
      wish.watch?.waiting(link.provider.key);
      link.ask(wish.requestId);
    }
  }

  #linkOf(key: string): LimiterConnection | undefined {
    return this.#links.find(({ provider }) => provider.key === key);
  }
}

function grantOf({ provider }: LimiterConnection, { permitId, expiresAtMs }: Permit, degraded: boolean): Grant {
  return { provider, permitId, expiresAtMs, degraded };
}

function reportOf<Result>(called: Called<Result>): CallReport {
  switch (called.kind) {
    case 'ok':
      return { kind: 'ok' };
    case 'rate_limited': {
      const { message, retryAfterSeconds } = called;
      return { kind: 'rate_limited', message, retryAfterSeconds };
    }
    case 'failed':
      return { kind: 'failed', message: called.message };
    case 'not_judged':
    case 'unused':
      return { kind: 'unused' };
  }
}

export function createPermits(providers: ProviderPolicy[], changed: () => void, resumed?: PermitsState): Permits {
  return new RunPermits(providers, changed, resumed);
}
