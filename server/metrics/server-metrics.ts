import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { LimiterEntry } from '../../contract/server/limiters.ts';
import type { QueueView } from '../../contract/server/queue.ts';
import { buildInfo } from '../../process/this-process.ts';

/** Half of Prometheus' scrape timeout, so that a limiter without a worker does not fail the scrape. */
const limitersWithinMs = 5_000;

interface MetricSources {
  queue(): Promise<QueueView>;
  limiters(withinMs: number): Promise<LimiterEntry[]>;
  /** Webhook messages that were given up in the last 24 hours. */
  undeliveredWebhooks(): Promise<number>;
  /** Webhook messages that are not delivered after an hour. */
  lateWebhooks(): Promise<number>;
  buildId: string | undefined;
}

/** Metrics of facts that only Temporal has. They are read at each scrape. */
export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #sources: MetricSources;
  readonly #backlog = this.#gauge('holdfast_queue_backlog', 'Steps of runs that are queued for a container');
  readonly #oldest = this.#gauge(
    'holdfast_queue_oldest_seconds',
    'Seconds that the oldest queued step has waited; 0 if none is queued',
  );
  readonly #busy = this.#gauge('holdfast_queue_busy', 'Runs that a container is working on');
  readonly #workers = this.#gauge('holdfast_queue_workers', 'Workers that reach a healthy container');
  readonly #undelivered = this.#gauge(
    'holdfast_webhooks_undelivered_day',
    'Webhook messages that were given up in the last 24 hours',
  );
  readonly #late = this.#gauge(
    'holdfast_webhooks_late',
    'Webhook messages that are not delivered an hour after their event',
  );
  readonly #limiterAnswers = this.#gauge('holdfast_limiter_up', 'Whether the limiter of a key answers', ['key']);
  readonly #throttled = this.#gauge('holdfast_limiter_throttled', 'Whether a key is throttled for all runs', ['key']);
  readonly #open = this.#gauge('holdfast_limiter_breaker_open', 'Whether the circuit breaker of a key is open', [
    'key',
  ]);
  readonly #waiting = this.#gauge('holdfast_limiter_waiting', 'Requests that wait for a permit', ['key']);
  readonly #permits = this.#gauge('holdfast_limiter_permits', 'Permits in use', ['key']);

  constructor(sources: MetricSources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#registry });
    const build = buildInfo.labels(sources.buildId);
    this.#gauge(buildInfo.name, buildInfo.help, Object.keys(build)).set(build, 1);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    const [queue, limiters, undelivered, late] = await Promise.all([
      this.#sources.queue(),
      this.#sources.limiters(limitersWithinMs),
      this.#sources.undeliveredWebhooks(),
      this.#sources.lateWebhooks(),
    ]);
    this.#backlog.set(queue.backlog);
    this.#oldest.set(queue.oldestSeconds ?? 0);
    this.#busy.set(queue.busy);
    this.#workers.set(queue.workers);
    this.#undelivered.set(undelivered);
    this.#late.set(late);
    const limiterGauges = [this.#limiterAnswers, this.#throttled, this.#open, this.#waiting, this.#permits];
    // A limiter that has ended must not keep its last values.
    for (const gauge of limiterGauges) gauge.reset();
    for (const { key, details } of limiters) {
      this.#limiterAnswers.set({ key }, details === undefined ? 0 : 1);
      if (details === undefined) continue;
      this.#throttled.set({ key }, details.stats.throttled ? 1 : 0);
      this.#open.set({ key }, details.breaker.state === 'closed' ? 0 : 1);
      this.#waiting.set({ key }, details.stats.waiting);
      this.#permits.set({ key }, details.stats.permits_in_use);
    }
    return await this.#registry.metrics();
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }
}
