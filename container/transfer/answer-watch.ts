import { ServiceError } from '../errors.ts';

/** Ends a job whose caller does not say where its files go. */
export interface AnswerWatch {
  readonly signal: AbortSignal;
  /** Restarts or stops the timeout after a target was given, or an upload started or ended. */
  restart(): void;
  stop(): void;
}

/** The timeout runs while `isWaiting`: files are wanted, and no upload is in progress. */
export function watchForAnswer(timeoutSeconds: number, isWaiting: () => boolean): AnswerWatch {
  const missing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expire = (): void => {
    missing.abort(
      new ServiceError(
        'upload_urls_missing',
        `No upload URLs arrived for ${timeoutSeconds} seconds. Send URLs for the wanted files to POST /jobs/<id>/upload-urls.`,
      ),
    );
  };
  return {
    signal: missing.signal,
    restart() {
      clearTimeout(timer);
      if (isWaiting()) timer = setTimeout(expire, timeoutSeconds * 1000);
    },
    stop: () => clearTimeout(timer),
  };
}
