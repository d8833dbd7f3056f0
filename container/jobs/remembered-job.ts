import type { EndedJobView } from '../../contract/http/job.ts';
import { withoutResult, type Job } from './job.ts';

export interface RememberedJob extends Job {
  /** What it takes of the memory, but for some fields that every job has. */
  readonly bytes: number;
}

/**
 * What is left of a job that has ended. It is made of JSON alone, so that nothing of its request, its work or what failed
 * lives on by a reference. The result is outside of V8's heap: it can have thousands of chunks.
 */
export function rememberJob(ended: EndedJobView): RememberedJob {
  const { jobId: id, kind, state } = ended;
  const listed = JSON.stringify(withoutResult(ended));
  const result = Buffer.from(JSON.stringify(ended.state === 'succeeded' ? { result: ended.result } : {}));
  const list = (): EndedJobView => JSON.parse(listed) as EndedJobView;
  const view = (): EndedJobView => Object.assign(list(), JSON.parse(result.toString()));
  return {
    id,
    kind,
    state,
    bytes: listed.length + result.length,
    view,
    list,
    delivery: undefined,
    get ended() {
      return Promise.resolve(view());
    },
    isEnding: false,
    onChange: () => () => {},
    cancel: () => {},
    hold: () => () => {},
    keep: () => {},
  };
}
