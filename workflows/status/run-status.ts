import type { JobProgress } from '../../contract/activity.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { newRunModel, type ProcessingView, type RunModel, withFailure, workflowStatus } from './run-model.ts';
import type { RunSubject } from './subject.ts';
import { newStepPlace, type Share, type StepPlace, type StepWait, withProgress } from './step-status.ts';

/** The status of a run: answers the query `status` and calls `show` on each change. */
export class RunStatus {
  readonly #show: (model: RunModel) => void;
  #model: RunModel;

  constructor(workflowType: string, maxRetryTime: number, show: (model: RunModel) => void) {
    this.#show = show;
    this.#model = newRunModel(workflowType, maxRetryTime);
  }

  read(): WorkflowStatus {
    return workflowStatus(this.#model, Date.now());
  }

  describe(subject: RunSubject, maxRetryTime: number): void {
    this.#update({ subject, maxRetryTime });
  }

  /** Replaces a step that is repeated. Does not call `show`: the first attempt follows at once. */
  startStep(id: string, share: Share): void {
    this.#model = {
      ...this.#model,
      stage: { kind: 'steps' },
      places: [...this.#model.places.filter((place) => place.id !== id), newStepPlace(id, share)],
    };
  }

  /** Announces the segments of a spread run, each of which is a step. */
  startSegments(segments: number): void {
    this.#model = { ...this.#model, segments };
  }

  /** Adds a step that ended before the run continued as new. */
  restoreDone(id: string, share: Share): void {
    const place = { ...newStepPlace(id, share), percent: 100, situation: { kind: 'done' as const } };
    this.#model = { ...this.#model, places: [...this.#model.places, place] };
  }

  /** Forgets a step whose work another step has done. */
  forgetStep(id: string): void {
    this.#update({ places: this.#model.places.filter((place) => place.id !== id) });
  }

  /** Forgets all steps, because other steps do their work again. */
  restart(): void {
    const { segments: _, ...rest } = this.#model;
    this.#model = { ...rest, places: [] };
  }

  queueAttempt(id: string, attempt: number, elapsedSeconds: number): void {
    this.#updateStep(id, (place) => ({ ...place, attempt, elapsedSeconds, situation: { kind: 'queued' } }));
  }

  /** Another run does the work of the step. */
  startRun(id: string): void {
    this.#updateStep(id, (place) => ({ ...place, attempt: 1, phase: 'process', situation: { kind: 'running' } }));
  }

  reportProgress(progress: JobProgress): void {
    this.#updateStep(progress.step, (place) => withProgress(place, progress));
  }

  startWait(id: string, wait: StepWait, elapsedSeconds: number): void {
    const sinceMs = Date.now();
    this.#updateStep(id, (place) => ({
      ...place,
      elapsedSeconds,
      situation: { ...wait, kind: 'waiting', sinceMs },
    }));
  }

  endStep(id: string, kind: 'done' | 'failed', elapsedSeconds: number): void {
    this.#updateStep(id, (place) => ({
      ...place,
      ...(kind === 'done' && { percent: 100 }),
      elapsedSeconds,
      situation: { kind },
    }));
  }

  /** Sets the share only; `showChunks` shows the chunks. */
  startChunks(chunksShare: Share): void {
    this.#model = { ...this.#model, chunksShare };
  }

  /** Must be called after every change to what the view returns. */
  showChunks(chunksView: () => ProcessingView): void {
    this.#update({ stage: { kind: 'processing' }, chunksView });
  }

  startAssembly(): void {
    this.#update({ stage: { kind: 'assembling' } });
  }

  setFindings(findings: readonly string[]): void {
    this.#update({ findings });
  }

  complete(elapsedSeconds: number, shortfall: string | undefined): void {
    this.#update({ stage: { kind: 'done', elapsedSeconds, ...(shortfall !== undefined && { shortfall }) } });
  }

  fail(message: string): void {
    this.#update(withFailure(this.#model, 'failed', message, Date.now()));
  }

  cancel(): void {
    this.#update(withFailure(this.#model, 'cancelled', 'cancelled', Date.now()));
  }

  #updateStep(id: string, update: (place: StepPlace) => StepPlace): void {
    this.#update({ places: this.#model.places.map((place) => (place.id === id ? update(place) : place)) });
  }

  #update(change: Partial<RunModel>): void {
    this.#model = { ...this.#model, ...change };
    this.#show(this.#model);
  }
}
