import type { MutatingOperation } from './openapi.ts';

/** Either the name of the recorded action, or the reason why requests to the operation are not recorded. */
type AuditVerdict = { action: string } | { unrecorded: string };

/** Operations that read but hand out the files of a run. */
type Download = 'GET /media/{place}' | 'GET /media/in/{token}/{file}' | 'GET /media/zip/{ticket}';

/** A new operation that changes something does not compile without a verdict. */
export const auditVerdicts: Readonly<Record<MutatingOperation | Download, AuditVerdict>> = {
  'POST /api/runs': { action: 'run.start' },
  'POST /api/runs:batch': { action: 'run.batch' },
  'POST /api/runs/{id}/cancel': { action: 'run.cancel' },
  'POST /api/runs/{id}/priority': { action: 'run.priority' },
  'POST /api/runs/{id}/rerun': { action: 'run.rerun' },
  'POST /api/runs/{id}/share': { action: 'run.share' },
  'PUT /api/runs/{id}/transcript': { action: 'transcript.save' },
  'POST /api/runs/{id}/webhooks/replay': { action: 'webhooks.replay' },
  'POST /api/inspect': { action: 'source.inspect' },
  'POST /api/estimate': { unrecorded: 'reads past runs, as lists of runs do' },
  'POST /api/limiters/{provider}/{model}/throttle': { action: 'limiter.throttle' },
  'POST /api/limiters/{provider}/{model}/resume': { action: 'limiter.resume' },
  'POST /api/limiters/{provider}/{model}/set': { action: 'limiter.set' },
  'POST /api/uploads': { action: 'upload.create' },
  'PATCH /api/uploads/{id}': { unrecorded: 'appends bytes to an upload, whose creation is recorded' },
  'DELETE /api/uploads/{id}': { action: 'upload.delete' },
  'POST /api/uploads/s3': { action: 'upload.create' },
  'POST /api/uploads/s3/{id}/parts': { unrecorded: 'signs parts of an upload, whose creation is recorded' },
  'POST /api/uploads/s3/{id}/complete': { action: 'upload.complete' },
  'DELETE /api/uploads/s3/{id}': { action: 'upload.delete' },
  'GET /media/{place}': { action: 'file.download' },
  'GET /media/in/{token}/{file}': { action: 'file.download' },
  'GET /media/zip/{ticket}': { action: 'file.download' },
};

export function isAudited(operation: string | undefined): operation is keyof typeof auditVerdicts {
  return operation !== undefined && Object.hasOwn(auditVerdicts, operation);
}
