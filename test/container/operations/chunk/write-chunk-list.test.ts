import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ChunkList } from '../../../../contract/chunk-list.ts';
import { packList } from '../../../../contract/packed-list.ts';
import { ChunkResult } from '../../../../contract/http/chunk.ts';
import { writeChunkList } from '../../../../container/operations/write-chunk-list.ts';
import { chunkResult } from '../../../fixtures/scripted-container.ts';
import { useFolder } from '../../../support/folder.ts';

const folder = useFolder();
async function storeList(count: number): Promise<{ result: ChunkResult; list: ChunkList }> {
  const targets = Array.from({ length: count }, (_, index) => ({ index, uploadUrl: `file:///out/chunk-${index}.ogg` }));
  const { result, file } = await writeChunkList(
    ChunkResult.parse(chunkResult(count)),
    { uploadUrl: 'file:///out/chunks.json' },
    packList(targets),
    { folder, signal: new AbortController().signal },
  );
  return { result, list: ChunkList.parse(JSON.parse(await readFile(file.path, 'utf8'))) };
}

test('returns a short list in the answer too', async () => {
  const { result, list } = await storeList(1_000);
  expect(result.chunks).toHaveLength(1_000);
  expect(list.chunks).toHaveLength(1_000);
});

test('stores a list of 9,900 chunks only in its file', async () => {
  const { result, list } = await storeList(9_900);
  expect(result).not.toHaveProperty('chunks');
  expect(JSON.stringify(result).length).toBeLessThan(1_000);
  expect(list.chunks[9_899]).toMatchObject({ index: 9_899, file: 'chunk-9899.ogg', sha256: 'b'.repeat(64) });
});
