/** As deploy/kubernetes/components/keda has it, with Kubernetes' own rules for going up. Seconds. */
export const scaling = {
  mostPods: 20,
  everySeconds: 15,
  /** Up: by as many again, or by four. */
  upFactor: 2,
  upPods: 4,
  /** Down: to the most that was wanted in this time, a pod a minute. */
  downWindowSeconds: 600,
  downEverySeconds: 60,
};

/** Kubernetes' HorizontalPodAutoscaler: what is wanted, made into what is set. */
export class Autoscaler {
  readonly #wanted: { at: number; pods: number }[] = [];
  #wentDownAt = -Infinity;

  /** How many pods there are to be from `now` on, where there are `current`. */
  decide(now: number, current: number, wanted: number): number {
    const pods = Math.min(wanted, scaling.mostPods);
    this.#wanted.push({ at: now, pods });
    while ((this.#wanted[0]?.at ?? now) <= now - scaling.downWindowSeconds) this.#wanted.shift();
    if (pods > current) return Math.min(pods, Math.max(current * scaling.upFactor, current + scaling.upPods));
    const floor = Math.max(...this.#wanted.map((wish) => wish.pods));
    if (floor >= current || now - this.#wentDownAt < scaling.downEverySeconds) return current;
    this.#wentDownAt = now;
    return current - 1;
  }
}
