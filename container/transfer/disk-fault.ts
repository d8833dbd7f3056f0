import { isFileRefusal } from '../../contract/file-refusal.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { isDiskFull, ServiceError } from '../errors.ts';

/** Whether a file is read or written. */
export type DiskFaultCode = 'source_unavailable' | 'upload_failed';

/** Names a fault of the disk of MEDIA_ROOT, such as a failover of its NFS server; a retry may succeed. Returns other errors. */
export function diskFault(code: DiskFaultCode, url: URL, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  if (!isOfSystem || isFileRefusal(error) || isDiskFull(error)) return error;
  const errno = errnoOf(error);
  return new ServiceError(code, `The file ${redactUrlAndFolder(url.href)} cannot be reached now (${errno}).`, {
    details: { errno },
    cause: error,
  });
}
