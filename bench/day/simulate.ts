import { randomNumbers } from '../../test/support/random.ts';
import { Autoscaler, scaling } from './autoscaler.ts';
import type { Policy } from './policies.ts';
import type { DayRun } from './workload.ts';

/** From its creation until a pod takes its first job: the image is on the node. */
export const podStartSeconds = 20;

interface Pod {
  createdAt: number;
  job?: { startedAt: number; endsAt: number };
  /** It ends its job, and takes no other. */
  isLeaving: boolean;
}

export interface DayState {
  at: number;
  pods: number;
  busy: number;
  waiting: number;
}

export interface DayResult {
  /** Of each run, in the order of their starts. */
  waitSeconds: number[];
  /** Of all pods that there were, those that only start or only end their job as well. */
  podSeconds: number;
  busySeconds: number;
  /** How often a pod was told to go that had a job, and how long those jobs had been worked on. */
  busyScaleIns: number;
  busyScaleInSeconds: number;
  mostPods: number;
  /** Once a minute. */
  course: DayState[];
}

/** A day by the second, until the last run has ended; the seed chooses which pods go. */
export function simulateDay(runs: readonly DayRun[], policy: Policy, seed: number): DayResult {
  const random = randomNumbers(seed);
  const autoscaler = new Autoscaler();
  const queue: DayRun[] = [];
  const arriving = [...runs];
  // What the policy wants without any work is there from the start.
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

/** As Kubernetes chooses among pods that are ready: the younger ones by orders of magnitude, else by chance. Nobody asks who is busy. */
function chooseLeaving(pods: readonly Pod[], count: number, now: number, random: () => number): Pod[] {
  const ranked = pods.map((pod) => ({ pod, age: Math.floor(Math.log2(1 + now - pod.createdAt)), tie: random() }));
  ranked.sort((a, b) => a.age - b.age || a.tie - b.tie);
  return ranked.slice(0, Math.max(count, 0)).map(({ pod }) => pod);
}
