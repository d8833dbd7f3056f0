import type { EncodePart } from '../../contract/http/part.ts';
import { answer, errorAnswer, jobView, type Script, type ScriptedReply } from '../fixtures/scripted-container.ts';
import { resultOfPart } from './part-results.ts';

export interface SegmentJob {
  id: string;
  part: EncodePart | undefined;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** `Idempotency-Key` of its request. */
  key: unknown;
}

const segments = [0, 500, 1000].map((from) => ({ from, to: from + 500 }));
const slowSegment = 1000;

/**
 * Jobs of a spread run. They succeed at once. The jobs of the last segment, and the job of the sound, run until a test
 * changes their `state`.
 */
export class SegmentJobs {
  readonly jobs: SegmentJob[] = [];
  readonly #planned: object;

  /** `planned`: further fields of the plan, such as `sounds`. */
  constructor(planned: object = {}) {
    this.#planned = planned;
  }

  get slowJobs(): SegmentJob[] {
    return this.jobs.filter(({ part }) => part?.kind === 'segment' && part.from === slowSegment);
  }

  get soundJobs(): SegmentJob[] {
    return this.jobs.filter(({ part }) => part?.kind === 'sound');
  }

  readonly script: Script = ({ method, path, headers, body }) => {
    if (method === 'POST') return this.#accept(body.part, headers['idempotency-key']);
    const job = this.jobs.find(({ id }) => path === `/jobs/${id}`);
    if (job === undefined) return errorAnswer(404, 'not_found');
    if (method === 'DELETE' && job.state === 'running') job.state = 'cancelled';
    const { state } = job;
    const error = { success: false, error: `It has ${state}.`, code: state === 'failed' ? 'output_invalid' : state };
    const end =
      state === 'running'
        ? {}
        : state === 'succeeded'
          ? { result: { ...resultOfPart(job.part, segments, this.#planned), jobId: job.id } }
          : { error };
    return answer(200, jobView(1, { jobId: job.id, state, ...end }));
  };

  #accept(part: EncodePart | undefined, key: unknown): ScriptedReply {
    // A worker that is late with a heartbeat sends its request again, and joins the job as at a real container.
    const known = this.jobs.find((job) => job.key === key && ['running', 'succeeded'].includes(job.state));
    if (known !== undefined) return accept(known);
    const isSlow = part?.kind === 'sound' || (part?.kind === 'segment' && part.from === slowSegment);
    const job: SegmentJob = { id: `job-${this.jobs.length}`, part, state: isSlow ? 'running' : 'succeeded', key };
    this.jobs.push(job);
    return accept(job);
  }
}

function accept({ id }: SegmentJob): ScriptedReply {
  return answer(202, { success: true, jobId: id, state: 'running' });
}
