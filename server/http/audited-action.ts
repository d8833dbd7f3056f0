import { decodedPart } from '../../contract/url-part.ts';
import type { AuditedAction } from '../access/audit.ts';
import { auditVerdicts, isAudited } from './audit-verdicts.ts';
import { withoutLinkToken } from './media-routes.ts';
import { operationAt } from './openapi.ts';

/** The recorded action of a request; undefined for requests that are not recorded. */
export function auditedAction(method: string, path: string): AuditedAction | undefined {
  const operation = operationAt(method, path);
  if (!isAudited(operation)) return undefined;
  const verdict = auditVerdicts[operation];
  if ('unrecorded' in verdict) return undefined;
  return { action: verdict.action, target: targetIn(operation, path) };
}

/** The part of the path that names a run, an upload, a limiter or a file. */
function targetIn(operation: string, path: string): string | undefined {
  if (operation.includes('/media/')) return decodedPart(withoutLinkToken(path).slice('/media/'.length));
  const [, template = ''] = operation.split(' ');
  const parts = path.split('/');
  const named = template.split('/').flatMap((part, index) => (part.startsWith('{') ? [parts[index] ?? ''] : []));
  return named.length === 0 ? undefined : named.map(decodedPart).join('/');
}
