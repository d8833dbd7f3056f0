import { rm } from 'node:fs/promises';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { downloadFromFile } from './download-from-file.ts';
import { downloadFromHttp } from './download-from-http.ts';
import type { DownloadOptions } from './save-source.ts';
import { transportFailure } from './transport-failure.ts';

/** Streams the source into the file `target`. Throws a ServiceError, or the reason of an abort. */
export async function downloadSource(
  sourceUrl: string,
  target: string,
  options: DownloadOptions,
): Promise<SourceIdentity> {
  const url = new URL(sourceUrl);
  // An earlier file of this name may be a link to somebody's source, which a download would overwrite.
  await rm(target, { force: true });
  return await namingFailures(url, options.signal, () =>
    url.protocol === 'file:' ? downloadFromFile(url, target, options) : downloadFromHttp(url, target, options),
  );
}

/** Turns failures of a connection to the source into ServiceErrors. */
export async function namingFailures<Result>(
  url: URL,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    const failure = transportFailure(error);
    if (failure === undefined) throw error;
    switch (failure.kind) {
      case 'address_not_allowed':
        throw new ServiceError(
          'source_forbidden',
          `The source's host ${failure.host} is an internal address, which is not allowed.`,
        );
      case 'stalled':
        throw new ServiceError('stalled', `The source ${redactUrlAndFolder(url.href)} stopped sending.`, {
          cause: error,
        });
      case 'untrusted':
        throw new ServiceError(
          'source_untrusted',
          `The source ${redactUrlAndFolder(url.href)} was not fetched: ${failure.reason}.`,
          { cause: error },
        );
      case 'unreachable':
        throw new ServiceError(
          'source_unavailable',
          `The source ${redactUrlAndFolder(url.href)} could not be fetched: ${failure.reason}.`,
          { cause: error, ...(failure.details !== undefined && { details: failure.details }) },
        );
    }
  }
}
