/** Settings of deploy/kubernetes/components/keda, with Kubernetes' own rules for scaling up. Times are in seconds. */
export const scaling = {
  mostPods: 20,
  everySeconds: 15,
  /** Scaling up doubles the pods or adds four, whichever is more. */
  upFactor: 2,
  upPods: 4,
  /** Scaling down goes to the maximum wanted in this time, one pod a minute. */
  downWindowSeconds: 600,
  downEverySeconds: 60,
};

/** Turns the wanted number into the set number, like Kubernetes' HorizontalPodAutoscaler. */
export class Autoscaler {
  readonly #wanted: { at: number; pods: number }[] = [];
  #wentDownAt = -Infinity;

  /** Number of pods from `now` on, given `current` ones. */
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
