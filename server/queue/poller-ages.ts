import { presentMs } from '../../contract/container-presence.ts';

interface Poller {
  identity: string;
  /** Last poll, on Temporal's clock. */
  atMs: number;
}

/** Tells pollers that still poll from those that Temporal still lists. Temporal's clock may be minutes off this one. */
export class PollerAges {
  readonly #seen = new Map<string, { atMs: number; seenAtMs: number }>();

  /** Pollers that still poll, the most recent last. */
  present(pollers: readonly Poller[], nowMs = performance.now()): Poller[] {
    const newestMs = Math.max(...pollers.map(({ atMs }) => atMs));
    const identities = new Set(pollers.map(({ identity }) => identity));
    for (const identity of this.#seen.keys()) if (!identities.has(identity)) this.#seen.delete(identity);
    for (const { identity, atMs } of pollers) {
      // The newest poll is taken as of now. Between two reads, this process's own clock counts.
      if (this.#seen.get(identity)?.atMs !== atMs)
        this.#seen.set(identity, { atMs, seenAtMs: nowMs - (newestMs - atMs) });
    }
    return pollers
      .filter(({ identity }) => nowMs - (this.#seen.get(identity)?.seenAtMs ?? 0) < presentMs)
      .toSorted((a, b) => a.atMs - b.atMs);
  }
}
