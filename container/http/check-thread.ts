import { parentPort } from 'node:worker_threads';
import { asMediaError } from '../errors.ts';
import type { MediaError } from '../../engine/media-error.ts';
import { checkRequest, type CheckedRequest, type RequestName } from './check-request.ts';

// Entry point of the thread that `request-thread.ts` starts.

export interface ThreadQuestion {
  name: RequestName;
  bytes: Uint8Array<ArrayBuffer>;
}

export type ThreadAnswer =
  { checked: CheckedRequest<RequestName> } | { refused: Pick<MediaError, 'code' | 'message' | 'details'> };

function answer(given: ThreadAnswer, handedOver: ArrayBuffer[] = []): void {
  parentPort?.postMessage(given, handedOver);
}

parentPort?.on('message', ({ name, bytes }: ThreadQuestion) => {
  try {
    const checked = checkRequest(name, bytes);
    const { body } = checked;
    answer({ checked }, 'chunks' in body ? [body.chunks.bytes.buffer, body.chunks.ends.buffer] : []);
  } catch (error) {
    const { code, message, details } = asMediaError(error);
    answer({ refused: { code, message, details } });
  }
});
