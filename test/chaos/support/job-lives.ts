import type { TestContainer } from '../../support/container.ts';
import type { TestProcess } from '../../support/process.ts';

/** One process of a container. */
export interface ContainerLife {
  container: TestContainer;
  killed: boolean;
}

/** Lines of a container's log about its jobs. */
export interface LifeLog {
  container: { process: Pick<TestProcess, 'logLines'> };
  killed: boolean;
}

interface JobLife {
  startMs: number;
  /** End of the job, or of the process that died with it. */
  endMs: number;
  succeeded: boolean;
  containerKilled: boolean;
}

/** Jobs of a step over all processes, in the order of their starts. */
function jobsOf(lives: readonly LifeLog[], idempotencyKey: string): JobLife[] {
  return lives
    .flatMap(({ container, killed }) => {
      const lines = container.process.logLines;
      const lastMs = Date.parse(String(lines.at(-1)?.['time']));
      const own = lines.filter((line) => line['idempotencyKey'] === idempotencyKey);
      return own
        .filter(({ msg }) => msg?.startsWith('[JOB_START]'))
        .map((start) => {
          const end = own.find((line) => line['jobId'] === start['jobId'] && line.msg?.startsWith('[JOB_END]'));
          return {
            startMs: Date.parse(String(start['time'])),
            endMs: end === undefined ? lastMs : Date.parse(String(end['time'])),
            succeeded: end?.['state'] === 'succeeded',
            containerKilled: killed,
          };
        });
    })
    .sort((a, b) => a.startMs - b.startMs);
}

/** Problems with the jobs of a step that ended well, as sentences. */
export function findDoubleWork(lives: readonly LifeLog[], idempotencyKey: string): string[] {
  const jobs = jobsOf(lives, idempotencyKey);
  const problems: string[] = [];
  if (jobs.at(-1)?.succeeded !== true) problems.push('its last job did not succeed');
  for (const [index, job] of jobs.slice(0, -1).entries()) {
    if (job.endMs > (jobs[index + 1]?.startMs ?? 0)) problems.push('two of its jobs worked at one time');
    // A successful job is repeated only if its container was killed with the result before the run had it.
    if (job.succeeded && !job.containerKilled) problems.push('a job that had succeeded was done again');
  }
  return problems.map((problem) => `${idempotencyKey}: ${problem}: ${JSON.stringify(jobs)}`);
}
