import type { EndedJobView } from '../../contract/http/job.ts';
import { withoutResult, type Job } from './job.ts';

export interface RememberedJob extends Job {
  /** Memory in bytes, apart from the fields that every job has. */
  readonly bytes: number;
}

/**
 * Remainder of an ended job. It consists of JSON alone, so no reference keeps its request, work or error alive. The
 * result is stored outside V8's heap, because it can hold thousands of chunks.
 */
export function rememberJob(ended: EndedJobView): RememberedJob {
  const { jobId: id, kind, state } = ended;
  const listed = JSON.stringify(withoutResult(ended));
  // Buffer.from would take a few bytes of Node's pool and keep all of its 64 KiB.
  const result = new TextEncoder().encode(JSON.stringify(ended.state === 'succeeded' ? { result: ended.result } : {}));
  const list = (): EndedJobView => JSON.parse(listed) as EndedJobView;
  const view = (): EndedJobView => Object.assign(list(), JSON.parse(new TextDecoder().decode(result)));
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
