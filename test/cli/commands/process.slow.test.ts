import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { oneWord, TranscriptionServer } from '../../fixtures/transcription-server.ts';
import { testInSandbox } from '../command-sandbox.ts';
import { argumentsIn } from '../parse-arguments.ts';

testInSandbox(
  'process delivers a partial result and exits with 1 if a chunk has failed, as its --wait does',
  async ({ sandbox }) => {
    const server = await TranscriptionServer.start((call) =>
      call.index === 1 ? { kind: 'answer', status: 403, body: { error: { message: 'Not for you' } } } : oneWord(call),
    );
    const providersFile = join(sandbox.folder, 'providers.json');
    const limits = { maxConcurrent: 1, burstLimit: 100 };
    await writeFile(
      providersFile,
      JSON.stringify({ 'test/model': { kind: 'openai-transcription', url: server.url, limits } }),
    );
    sandbox.setVariables({ PROVIDERS_FILE: providersFile });
    const options = argumentsIn(
      '--chunk-duration 6 --provider test/model --chapters from-transcript --workflow-id talk-1 --out out',
    );
    const command = sandbox.npm('process', '--', 'talk.wav', ...options);
    expect(await command.exited, command.output).toEqual({ code: 1, signal: null });
    expect(command.output).toContain('Processed 1 of 4 chunks (partial)');
    expect(command.output).toContain('chunk 1 failed: unauthorized (Not for you)');
    expect(command.output).toContain('chunk 3 failed: unauthorized');
    expect(await readdir(join(sandbox.folder, 'out'))).toEqual(
      expect.arrayContaining(['chapters.json', 'chunk-00000.json', 'transcript.json']),
    );
    const read = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(sandbox.folder, 'out', name), 'utf8'));
    expect(await read('chapters.json')).toEqual({ version: '1.2.0', chapters: [{ startTime: 0, title: 'w0' }] });
    // 15 s are too short for a chapter of at least a minute.
    expect(await read('chunks.json')).toMatchObject({ about: { encoded: { chapterStarts: [] } } });
    // No call follows the refused one.
    expect(server.calls.map(({ index }) => index)).toEqual([0, 1]);
    await server.stop();

    // The result has been delivered, so it is read from Temporal.
    const waited = sandbox.npm('process', '--', '--wait', 'talk-1');
    expect(await waited.exited, waited.output).toEqual({ code: 1, signal: null });
    expect(waited.output).toContain('talk-1 is incomplete. Its files are at the targets of its input');
  },
);
