import type { WorkflowHandle } from '@temporalio/client';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import type { S3Server } from '../support/s3.ts';

interface Transcript {
  text: string;
  language?: string;
  complete: boolean;
  missing: unknown[];
}

export async function outcomeOf(handle: WorkflowHandle): Promise<ProcessingOutcome> {
  return ProcessingOutcome.parse(await handle.result());
}

/** Reads an object of the test's store by its `s3://` URL. */
export async function readStored({ folder }: S3Server, url: string | undefined): Promise<string> {
  return await readFile(join(folder, (url ?? '').slice('s3://'.length)), 'utf8');
}

export async function readTranscript(s3: S3Server, url: string | undefined): Promise<Transcript> {
  return JSON.parse(await readStored(s3, url)) as Transcript;
}

export function failedOf({ chunks = [] }: ProcessingOutcome) {
  return chunks.flatMap(({ index, status, error }) => (status === 'failed' ? [{ index, error }] : []));
}
