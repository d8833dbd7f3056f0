/** Figures that an autoscaler may use. */
export interface Load {
  waiting: number;
  busy: number;
}

export interface Policy {
  name: string;
  wanted(load: Load): number;
}

export const fixedPods = 6;

export const policies: readonly Policy[] = [
  { name: `${fixedPods} pods, always`, wanted: () => fixedPods },
  { name: 'by the backlog', wanted: ({ waiting }) => waiting },
  { name: 'by backlog and busy pods (/api/scale)', wanted: ({ waiting, busy }) => waiting + busy },
];
