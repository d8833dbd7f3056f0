import { type Request, type Response, Router } from 'express';
import type { RunView } from '../../contract/server/run.ts';
import { authorize } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { Places } from '../access/places.ts';
import { EventStream, mostUnreadBytes } from '../events/event-stream.ts';
import type { RunChange, RunFeed } from '../events/run-feed.ts';
import type { RunService } from '../runs/run-service.ts';

/** Far above the number of pages that people keep open. */
const mostViewers = 2_000;

/** Node ends longer timers at once. A viewer reconnects. */
const longestTimerMs = 2 ** 31 - 1;

/** Event streams, which end when the caller's token expires. `stop` ends them when the server stops. */
export class EventRoutes {
  readonly #streams = new Set<EventStream>();
  readonly #places = new Places(mostViewers);
  readonly #runs: RunService;
  readonly #feed: RunFeed;

  constructor(runs: RunService, feed: RunFeed) {
    this.#runs = runs;
    this.#feed = feed;
  }

  router(): Router {
    const router = Router();
    router.get('/api/events', async (request, response) => {
      await this.#streamAll(authorize(request, 'read'), request, response);
    });
    router.get('/api/runs/:id/events', async (request: Request<{ id: string }>, response) => {
      await this.#streamRun(request.params.id, authorize(request, 'read'), request, response);
    });
    return router;
  }

  stop(): void {
    for (const stream of this.#streams) stream.end();
  }

  async #streamAll(caller: Caller, request: Request, response: Response): Promise<void> {
    const now = await this.#feed.start();
    const lastId = request.get('Last-Event-ID');
    const missed = lastId === undefined ? undefined : this.#missedBy(caller, lastId);
    const stream = this.#open(caller, request, response);
    const send = (change: RunChange): void => {
      if (maySee(caller, change.run)) stream.send('run', change.id, change.run);
    };
    // After `resumed: false`, the viewer reloads the list.
    stream.send('ready', missed === undefined ? now : (lastId ?? now), { resumed: missed !== undefined });
    for (const change of missed ?? []) send(change);
    const unsubscribe = this.#feed.subscribe(send);
    await stream.closed;
    unsubscribe();
  }

  /** Undefined if the changes are unknown, or more than a viewer may be behind. */
  #missedBy(caller: Caller, lastId: string): RunChange[] | undefined {
    const missed = this.#feed.since(lastId)?.filter(({ run }) => maySee(caller, run));
    return JSON.stringify(missed ?? []).length > mostUnreadBytes ? undefined : missed;
  }

  async #streamRun(id: string, caller: Caller, request: Request, response: Response): Promise<void> {
    // Polling starts before the run is read, so that no end of the run is missed.
    await this.#feed.start();
    const early: RunView[] = [];
    let show = (run: RunView): void => void early.push(run);
    const unsubscribe = this.#feed.subscribe(({ run }) => {
      if (run.id === id) show(run);
    });
    try {
      const run = await this.#runs.view(id, caller);
      const stream = this.#openRun(run, caller, request, response);
      if (stream === undefined) return;
      let latest = run;
      show = (view) => {
        // An id may be used again, by another owner too.
        const isLater = view.startedAt > latest.startedAt && maySee(caller, view);
        if (view.runId !== latest.runId && !isLater) return;
        latest = view;
        stream.send('run', endId(view), view);
        if (view.endedAt !== undefined) stream.end();
      };
      for (const view of [run, ...early]) show(view);
      await stream.closed;
    } finally {
      unsubscribe();
    }
  }

  /** Undefined if the viewer already knows the end of the run. */
  #openRun(run: RunView, caller: Caller, request: Request, response: Response): EventStream | undefined {
    if (request.get('Last-Event-ID') === endId(run)) {
      // A browser reconnects whenever a stream ends; only 204 stops it.
      response.status(204).end();
      return undefined;
    }
    return this.#open(caller, request, response);
  }

  #open(caller: Caller, request: Request, response: Response): EventStream {
    const release = this.#places.take(caller, 'streams of events are open');
    const stream = new EventStream(request, response);
    this.#streams.add(stream);
    const { expiresAtMs = Infinity } = caller;
    const expiry = setTimeout(() => stream.end(), Math.min(expiresAtMs - Date.now(), longestTimerMs));
    void stream.closed
      .then(() => clearTimeout(expiry))
      .then(() => this.#streams.delete(stream))
      .then(release);
    return stream;
  }
}

function maySee(caller: Caller, { owner }: RunView): boolean {
  return caller.owner === undefined || owner === caller.owner;
}

/** Id of an event of one run; it shows whether the run has ended. */
function endId({ runId, endedAt }: RunView): string {
  return `${runId}:${endedAt === undefined ? 'active' : 'ended'}`;
}
