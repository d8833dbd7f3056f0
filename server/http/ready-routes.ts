import type { Client } from '@temporalio/client';
import { Router } from 'express';
import type { ReadyBody } from '../../contract/http/job.ts';

/** Path that probes request. */
export const readyPath = '/ready';

/** A reachable Temporal answers well within this time, and probes wait 5 s. */
const answerTimeoutMs = 2_000;

/** Age limit of an answer. Anybody may send probes at any rate. */
const answerFreshMs = 1_000;

/** Tells load balancers whether Temporal answers. Probes have no token. */
export function readyRouter(client: Client, freshMs = answerFreshMs): Router {
  let asked: Promise<boolean> | undefined;
  /** Probes share one request to Temporal, and its answer for `freshMs`. */
  const temporalAnswers = async (): Promise<boolean> => {
    asked ??= askTemporal(client).finally(() => {
      setTimeout(() => (asked = undefined), freshMs).unref();
    });
    return await asked;
  };
  const router = Router();
  router.get(readyPath, async (_request, response) => {
    response.set('Cache-Control', 'no-store');
    if (await temporalAnswers()) response.json({ status: 'ready' } satisfies ReadyBody);
    else {
      const body: ReadyBody = { status: 'not_ready', reason: 'the Temporal server does not answer' };
      response.status(503).json(body);
    }
  });
  return router;
}

async function askTemporal(client: Client): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + answerTimeoutMs, () => client.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
