import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ChunkList } from '../../../contract/chunk-list.ts';
import { answer, chunkResult, encodedOutput, encodeResult, type Script } from '../../fixtures/scripted-container.ts';
import { useScriptedRuns } from '../../support/scripted-runs.ts';
import { useFolder } from '../../support/folder.ts';

const { run } = await useScriptedRuns();

const count = 9_900;
const folder = useFolder();

const uploadUrlPrefix = `${pathToFileURL(folder).href}/`;
/** A container that stores the chunk list as the real one does, without cutting anything. */
const script: Script = ({ path, body }) => {
  if (path === '/metadata') {
    const duration = count * 58 + 2;
    return answer(200, { success: true, duration, format: 'mp3', streams: [], tags: {}, chapters: [] });
  }
  if (path === '/encode') {
    return answer(200, {
      ...encodeResult,
      outputs: [{ ...encodedOutput, format: 'opus_24', duration: count * 58 + 2 }],
    });
  }
  const { chunks, ...result } = chunkResult(body.chunks.length);
  const listed = chunks.map((chunk, index) => ({
    ...chunk,
    file: basename(new URL(body.chunks[index].uploadUrl).pathname),
  }));
  const list = { version: 1, totalChunks: count, totalDuration: result.totalDuration, chunks: listed };
  const text = JSON.stringify(list);
  const stored = writeFile(fileURLToPath(body.list.uploadUrl), text);
  const reply = answer(200, { ...result, list: { size: text.length, sha256: 'c'.repeat(64) } });
  return { kind: 'later', after: stored, reply };
};

test.each(['processing', 'chunking'])(
  '%s of a source with 9,900 chunks succeeds and stores the chunk list',
  async (type) => {
    const input = { sourceUrl: 'https://media.test/week.mp3', uploadUrlPrefix };
    const { result, failure, history } = await run(script, input, type);
    expect(failure).toBeUndefined();
    expect(result).toMatchObject({
      totalChunks: count,
      chunksUrl: `${uploadUrlPrefix}chunks.json`,
      attempts: expect.any(Number),
    });
    expect(result).not.toHaveProperty('chunks');
    // No payload grows with the number of chunks.
    expect(history.text().length).toBeLessThan(50_000);
    const list = ChunkList.parse(JSON.parse(await readFile(join(folder, 'chunks.json'), 'utf8')));
    expect(list.chunks).toHaveLength(count);
  },
);
