import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { requestIdField } from '../../contract/request-id.ts';
import { redactUrlsIn } from '../../contract/shown-url.ts';
import { decodedPart } from '../../contract/url-part.ts';
import { knownCallerOf } from './authenticate.ts';

/** What a request does, as the audit log names it. */
export interface AuditedAction {
  action: string;
  /** The run, upload, limiter or file; undefined before it exists. */
  target: string | undefined;
}

interface AuditedEnd extends AuditedAction {
  /** The run that a request for another run has started. */
  created?: string | undefined;
  /** HTTP status; undefined if the client disconnected before the answer. */
  status: number | undefined;
  /** Code of the problem that was answered. */
  code?: string | undefined;
}

/** Facts that only the handler of a request knows. */
interface AuditNote extends Pick<AuditedEnd, 'code'> {
  /** Values that an operator has set. */
  change?: object;
  /** One entry for each run of a batch. */
  items?: readonly AuditedEnd[];
}

const notes = new WeakMap<Response, AuditNote>();

export function noteForAudit(response: Response, note: AuditNote): void {
  notes.set(response, { ...notes.get(response), ...note });
}

/** Longest target; names in paths are the caller's. */
const mostCharacters = 300;

/**
 * Writes a line for each request that changes something or downloads a file, whatever its outcome and whatever the log
 * level. The lines go to standard output like all others, because a process cannot alter lines that have left it
 * (docs/observability.md, "Audit log"). They contain no bodies, headers or queries.
 */
export function auditRequests(
  log: Logger,
  actionOf: (method: string, path: string) => AuditedAction | undefined,
): RequestHandler {
  const audit = log.child({ audit: true }, { level: 'info' });
  return (request, response, next) => {
    const audited = actionOf(request.method, request.path);
    if (audited === undefined) return next();
    response.once('close', () => {
      const caller = knownCallerOf(request);
      const { items, code, change } = notes.get(response) ?? {};
      for (const end of items ?? [{ ...endOf(audited, response), code }]) {
        const outcome = outcomeOf(end);
        audit.info(
          {
            [requestIdField]: request.id,
            actor: caller?.id ?? 'unknown',
            owner: caller?.owner,
            ...end,
            target: shown(end.target),
            outcome,
            change,
          },
          `Audit: ${end.action} ${outcome}`,
        );
      }
    });
    return next();
  };
}

function endOf({ action, target }: AuditedAction, response: Response): AuditedEnd {
  const status = response.headersSent ? response.statusCode : undefined;
  const location = status !== undefined && status < 300 ? response.get('Location') : undefined;
  const created = location === undefined ? undefined : decodedPart(location.slice(location.lastIndexOf('/') + 1));
  return target === undefined ? { action, target: created, status } : { action, target, created, status };
}

/** `unknown`: the action may have happened. */
function outcomeOf({ status }: AuditedEnd): 'succeeded' | 'denied' | 'failed' | 'unknown' {
  if (status === undefined) return 'unknown';
  if (status < 400) return 'succeeded';
  return status === 401 || status === 403 ? 'denied' : 'failed';
}

function shown(target: string | undefined): string | undefined {
  return target === undefined ? undefined : redactUrlsIn(target).slice(0, mostCharacters);
}
