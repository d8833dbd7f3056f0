import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { RunDetails } from '../../../contract/server/run.ts';
import { RunTickets } from '../../../server/access/run-tickets.ts';
import { MediaLinks } from '../../../server/files/media-links.ts';
import { linkRunFiles } from '../../../server/files/run-files.ts';
import { TranscriptVersions } from '../../../server/files/transcript-versions.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();
const urlOf = (name: string): string => pathToFileURL(join(folder, name)).href;

test('links to the transcript of an encode and to its latest correction, which belong to none of its outputs', async () => {
  for (const name of ['film.mp4', 'transcript.json', 'transcript.vtt', 'transcript.srt']) {
    await writeFile(join(folder, name), 'content');
  }
  const [json, vtt, srt] = ['transcript.json', 'transcript.vtt', 'transcript.srt'].map(urlOf);
  const links = {
    media: new MediaLinks(folder, undefined),
    buckets: undefined,
    transcripts: new TranscriptVersions(folder),
    tickets: new RunTickets(undefined, 'zip'),
  };
  const input = { outputs: [{ preset: 'web-h264-720', captions: true, uploadUrl: urlOf('film.mp4') }] };
  const result = { outputs: [{}], source: {}, transcript: { json, vtt, srt } } as RunDetails['result'];
  await links.transcripts.save('run', 0, {});
  await links.transcripts.save('run', 1, {});
  const files = await linkRunFiles(links, { runId: 'run', input, result }, { owner: undefined });
  expect(files.map(({ kind, index, name }) => ({ kind, index, name }))).toEqual([
    { kind: 'output', index: 0, name: 'film.mp4' },
    ...['transcript.json', 'transcript.vtt', 'transcript.srt'].map((name) => ({
      kind: 'output',
      index: undefined,
      name,
    })),
    { kind: 'correction', index: undefined, name: 'transcript.2.json' },
  ]);
  expect(files.at(-1)).toMatchObject({ version: 2, contentType: 'application/json' });
});
