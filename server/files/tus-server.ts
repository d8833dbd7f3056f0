import { Server } from '@tus/server';
import type { ProblemCode } from '../../contract/server/problem.ts';
import { ProblemError } from '../problem-error.ts';

/** Problem code for each status of tus. A problem has its own status only if tus clients depend on it. */
const codeByStatus: Record<number, ProblemCode> = {
  400: 'invalid_request',
  403: 'invalid_request',
  404: 'not_found',
  409: 'upload_conflict',
  410: 'not_found',
  412: 'tus_version_unsupported',
  413: 'request_too_large',
  // An extension that the server has not announced.
  501: 'invalid_request',
};

const sentences: Partial<Record<ProblemCode, string>> = {
  not_found: 'This upload does not exist, or it was removed.',
  upload_conflict: 'The upload is not at that Upload-Offset. Send HEAD to learn the current offset.',
  tus_version_unsupported: 'Send Tus-Resumable: 1.0.0, the version of tus that this server speaks.',
  unsupported_media_type: 'Send the bytes of an upload as Content-Type: application/offset+octet-stream.',
  request_too_large: 'The request exceeds the declared length of the upload, or the limit for all uploads.',
  upload_busy: 'Another request is writing this upload. Please retry.',
};

function codeOf(status: number, words: string): ProblemCode {
  if (/acquire/.test(words)) return 'upload_busy';
  if (/^Invalid .*tus-resumable/i.test(words)) return 'tus_version_unsupported';
  if (/content-type/i.test(words)) return 'unsupported_media_type';
  return codeByStatus[status] ?? 'internal';
}

function refusalOf(status: number, words: string): ProblemError {
  const text = words.trim();
  const code = codeOf(status, text);
  const fallback = code === 'internal' ? 'The upload could not be written.' : `The upload is not valid. ${text}.`;
  return new ProblemError(code, sentences[code] ?? fallback);
}

/** Throws a ProblemError in place of tus's own error answers. */
export class TusServer extends Server {
  constructor(options: ConstructorParameters<typeof Server>[0]) {
    super({
      ...options,
      onResponseError: (_request, error) => {
        if (error instanceof ProblemError) throw error;
        return undefined;
      },
    });
  }

  override async write(...[context, headers, status, body]: Parameters<Server['write']>) {
    if (status >= 400) throw refusalOf(status, body ?? '');
    return await super.write(context, headers, status, body);
  }
}
