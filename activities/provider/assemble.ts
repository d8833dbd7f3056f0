import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import pMap from 'p-map';
import type { AssembledChunk, AssembleRequest, TranscriptUrls } from '../../contract/provider-call.ts';
import { ChunkAnswer } from './answer.ts';
import type { Storage } from '../storage/storage.ts';
import { StorageError } from '../storage/storage-error.ts';
import { srt, vtt } from './subtitles.ts';
import { assembled, type TranscribedChunk } from './transcript.ts';

/** Our own words around the provider's answer, which is kept as it was. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** Answers at once; each may be held whole. */
const readsAtOnce = 4;

/** Reads what lies beside the chunks and puts one transcript, in three forms, there too. */
export function assembleActivity({ storage }: { storage: Storage }) {
  return async function assembleTranscript(request: AssembleRequest): Promise<TranscriptUrls> {
    const signal = cancellationSignal();
    try {
      const chunks = await pMap(request.chunks, (chunk) => transcribed(chunk, storage, signal), {
        concurrency: readsAtOnce,
        signal,
      });
      const transcript = assembled(chunks);
      const { uploadUrlPrefix: prefix } = request;
      const files: [keyof TranscriptUrls, string, string][] = [
        ['json', JSON.stringify(transcript, undefined, 1), 'application/json'],
        ['vtt', vtt(transcript.segments), 'text/vtt; charset=utf-8'],
        ['srt', srt(transcript.segments), 'application/x-subrip; charset=utf-8'],
      ];
      for (const [ending, text, type] of files) {
        await storage.write(`${prefix}transcript.${ending}`, text, type, signal);
        heartbeat();
      }
      return {
        json: `${prefix}transcript.json`,
        vtt: `${prefix}transcript.vtt`,
        srt: `${prefix}transcript.srt`,
      };
    } catch (error) {
      if (!(error instanceof StorageError) || signal.aborted) throw error;
      // Passing troubles are left to the activity's own retries.
      const [type, nonRetryable] = ['TranscriptNotStored', !error.passing];
      throw ApplicationFailure.create({ message: error.message, type, nonRetryable, category: 'BENIGN' });
    }
  };
}

async function transcribed(chunk: AssembledChunk, storage: Storage, signal: AbortSignal): Promise<TranscribedChunk> {
  const { index, start, duration, answerUrl, error } = chunk;
  if (answerUrl === undefined) {
    return { index, start, duration, segments: undefined, ...(error !== undefined && { error }) };
  }
  const text = await storage.readText(answerUrl, maxAnswerBytes, signal);
  heartbeat();
  return { index, start, duration, segments: segmentsOf(text, answerUrl) };
}

function segmentsOf(text: string, url: string): ChunkAnswer['segments'] {
  try {
    return ChunkAnswer.parse(JSON.parse(text)).segments;
  } catch (error) {
    throw new StorageError(`${url.slice(url.lastIndexOf('/') + 1)} is not an answer that we wrote`, false, {
      cause: error,
    });
  }
}
