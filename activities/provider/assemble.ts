import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import pMap from 'p-map';
import type { AssembledChunk, AssembleRequest, TranscriptUrls } from '../../contract/provider-call.ts';
import { ChunkAnswer } from './answer.ts';
import type { Storage } from '../storage/storage.ts';
import { StorageError } from '../storage/storage-error.ts';
import { toSrt, toVtt } from './subtitles.ts';
import { buildTranscript, type TranscribedChunk } from './transcript.ts';

/** Several times the largest answer of a provider: the file holds it as it was, and the text and segments read from it. */
const maxAnswerFileBytes = 64 * 1024 * 1024;
/** Answers read at a time; each is held whole in memory. */
const readsAtOnce = 4;

/** Reads the answers beside the chunks and writes one transcript, in three formats, to the same place. */
export function assembleActivity({ storage }: { storage: Storage }) {
  return async function assembleTranscript(request: AssembleRequest): Promise<TranscriptUrls> {
    const signal = cancellationSignal();
    try {
      const chunks = await pMap(request.chunks, (chunk) => readSegments(chunk, storage, signal), {
        concurrency: readsAtOnce,
        signal,
      });
      const transcript = buildTranscript(chunks);
      const { uploadUrlPrefix: prefix } = request;
      const files: [keyof TranscriptUrls, string, string][] = [
        ['json', JSON.stringify(transcript, undefined, 1), 'application/json'],
        ['vtt', toVtt(transcript.segments), 'text/vtt; charset=utf-8'],
        ['srt', toSrt(transcript.segments), 'application/x-subrip; charset=utf-8'],
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
      // Where another try may help, the activity's own retry policy makes it.
      const [type, nonRetryable] = ['TranscriptNotStored', !error.passing];
      throw ApplicationFailure.create({ message: error.message, type, nonRetryable, category: 'BENIGN' });
    }
  };
}

async function readSegments(chunk: AssembledChunk, storage: Storage, signal: AbortSignal): Promise<TranscribedChunk> {
  const { index, start, duration, answerUrl, error } = chunk;
  if (answerUrl === undefined) {
    return { index, start, duration, segments: undefined, ...(error !== undefined && { error }) };
  }
  const text = await storage.readText(answerUrl, maxAnswerFileBytes, signal);
  heartbeat();
  return { index, start, duration, segments: parseSegments(text, answerUrl) };
}

function parseSegments(text: string, url: string): ChunkAnswer['segments'] {
  try {
    return ChunkAnswer.parse(JSON.parse(text)).segments;
  } catch (error) {
    throw new StorageError(`${url.slice(url.lastIndexOf('/') + 1)} is not an answer that we wrote`, false, {
      cause: error,
    });
  }
}
