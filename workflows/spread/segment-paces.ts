/** A segment is slow if its job takes this many times as long as the others take for as many pictures. */
const slowFactor = 1.5;

/** Milliseconds that a job must be late: for less, a second one is not worth its download. */
const leastLateMs = 5_000;

/** Decides which segments are slow, by the pace of those that have ended (pure). Jobs are named by their steps. */
export class SegmentPaces {
  readonly #acceptedAtMs = new Map<string, number>();
  readonly #msPerPicture: number[] = [];

  /** A container has accepted the job: time in the queue says nothing about the container's speed. */
  begin(job: string, nowMs: number): void {
    this.#acceptedAtMs.set(job, nowMs);
  }

  /** The job has ended without a result, or waits for another container. */
  leave(job: string): void {
    this.#acceptedAtMs.delete(job);
  }

  end(job: string, pictures: number, nowMs: number): void {
    const acceptedAtMs = this.#acceptedAtMs.get(job);
    this.#acceptedAtMs.delete(job);
    if (acceptedAtMs !== undefined) this.#msPerPicture.push((nowMs - acceptedAtMs) / pictures);
  }

  /** Time at which the job counts as slow; undefined if it does not run, or no job has ended yet. */
  slowAtMs(job: string, pictures: number): number | undefined {
    const acceptedAtMs = this.#acceptedAtMs.get(job);
    const paces = this.#msPerPicture.toSorted((one, other) => one - other);
    const median = paces[Math.floor(paces.length / 2)];
    if (acceptedAtMs === undefined || median === undefined) return undefined;
    const expectedMs = median * pictures;
    return Math.ceil(acceptedAtMs + expectedMs + Math.max(expectedMs * (slowFactor - 1), leastLateMs));
  }
}
