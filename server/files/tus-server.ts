import { Server } from '@tus/server';
import type { ProblemCode } from '../../contract/server/problem.ts';
import { ProblemError } from '../problem-error.ts';

/** What tus refuses, as the problem that is answered; with a status of its own only where its clients go by that. */
const codeByStatus: Record<number, ProblemCode> = {
  400: 'invalid_request',
  403: 'invalid_request',
  404: 'not_found',
  409: 'upload_conflict',
  410: 'not_found',
  412: 'tus_version_unsupported',
  413: 'request_too_large',
  // An extension that the server has not told of.
  501: 'invalid_request',
};

const sentences: Partial<Record<ProblemCode, string>> = {
  not_found: 'There is no such upload here, or it was removed since.',
  upload_conflict: 'The upload does not stand at that Upload-Offset. HEAD tells where it goes on.',
  tus_version_unsupported: 'Send Tus-Resumable: 1.0.0, the version of tus that this server speaks.',
  unsupported_media_type: 'Send the bytes of an upload as Content-Type: application/offset+octet-stream.',
  request_too_large: 'That is more than the upload is to have, or than any may have.',
  upload_busy: 'Another request goes on with this upload. Please retry.',
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

/** Throws the problem where it would answer with an error in words of its own. */
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
