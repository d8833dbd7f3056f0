import { randomNumbers } from '../../test/support/random.ts';
import { Autoscaler, scaling } from './autoscaler.ts';
import type { Policy } from './policies.ts';
import type { DayRun } from './workload.ts';

/** Seconds from a pod's creation to its first job; the image is on the node. */
export const podStartSeconds = 20;

interface Pod {
  createdAt: number;
  job?: { startedAt: number; endsAt: number };
  /** The pod ends its job and takes no other. */
  isLeaving: boolean;
}

export interface DayState {
  at: number;
  pods: number;
  busy: number;
  waiting: number;
}

export interface DayResult {
  /** Wait of each run, in the order of their starts. */
  waitSeconds: number[];
  /** Seconds of all pods, including those that start or end. */
  podSeconds: number;
  busySeconds: number;
  /** Scale-ins that hit a pod with a job, and how long those jobs had run. */
  busyScaleIns: number;
  busyScaleInSeconds: number;
  mostPods: number;
  /** State once a minute. */
  course: DayState[];
}

/** Simulates a day second by second, until the last run has ended. The seed chooses the pods that leave. */
export function simulateDay(runs: readonly DayRun[], policy: Policy, seed: number): DayResult {
  const random = randomNumbers(seed);
  const autoscaler = new Autoscaler();
  const queue: DayRun[] = [];
  const arriving = [...runs];
  // Pods that the policy wants without any work exist from the start.
  let pods = Array.from({ length: Math.min(policy.wanted({ waiting: 0, busy: 0 }), scaling.mostPods) }, (): Pod => ({
    createdAt: -podStartSeconds,
    isLeaving: false,
  }));
  const result: DayResult = {
    waitSeconds: [],
    podSeconds: 0,
    busySeconds: 0,
    mostPods: 0,
    course: [],
    busyScaleIns: 0,
    busyScaleInSeconds: 0,
  };
  for (let now = 0; arriving.length > 0 || queue.length > 0 || pods.some(({ job }) => job) || now < 86_400; now += 1) {
    for (const pod of pods) if (pod.job !== undefined && pod.job.endsAt <= now) delete pod.job;
    pods = pods.filter(({ isLeaving, job }) => !isLeaving || job !== undefined);
    while ((arriving[0]?.arrivesAt ?? Infinity) <= now) queue.push(arriving.shift() as DayRun);
    for (const pod of pods) {
      if (pod.job !== undefined || pod.isLeaving || pod.createdAt + podStartSeconds > now) continue;
      const run = queue.shift();
      if (run === undefined) break;
      pod.job = { startedAt: now, endsAt: now + run.workSeconds };
      result.waitSeconds.push(now - run.arrivesAt);
    }
    const busy = pods.filter(({ job }) => job !== undefined).length;
    if (now % scaling.everySeconds === 0) {
      const staying = pods.filter(({ isLeaving }) => !isLeaving);
      const wanted = autoscaler.decide(now, staying.length, policy.wanted({ waiting: queue.length, busy }));
      for (let index = staying.length; index < wanted; index += 1) pods.push({ createdAt: now, isLeaving: false });
      for (const pod of chooseLeaving(staying, staying.length - wanted, now, random)) {
        pod.isLeaving = true;
        if (pod.job === undefined) continue;
        result.busyScaleIns += 1;
        result.busyScaleInSeconds += now - pod.job.startedAt;
      }
    }
    result.podSeconds += pods.length;
    result.busySeconds += busy;
    result.mostPods = Math.max(result.mostPods, pods.length);
    if (now % 60 === 0) result.course.push({ at: now, pods: pods.length, busy, waiting: queue.length });
  }
  return result;
}

/**
 * Chooses like Kubernetes among ready pods: younger ones by orders of magnitude, otherwise by chance. It ignores who is
 * busy.
 */
function chooseLeaving(pods: readonly Pod[], count: number, now: number, random: () => number): Pod[] {
  const ranked = pods.map((pod) => ({ pod, age: Math.floor(Math.log2(1 + now - pod.createdAt)), tie: random() }));
  ranked.sort((a, b) => a.age - b.age || a.tie - b.tie);
  return ranked.slice(0, Math.max(count, 0)).map(({ pod }) => pod);
}
