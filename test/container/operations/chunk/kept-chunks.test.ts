import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChunkList } from '../../../../contract/chunk-list.ts';
import { type Chunk, ChunkResult } from '../../../../contract/http/chunk.ts';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia, pcmDigest, sha256Of } from '../../../support/media-files.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

let identity: unknown;

const settings = { chunkDuration: 4, overlapDuration: 1 };
const names = [0, 1, 2].map((index) => `piece-${index}.wav`);
const pathOf = (name: string) => join(container.mediaRoot, 'cut', name);
const urlOf = (name: string) => container.fileUrl(`cut/${name}`);

async function cut(chunks: object[], more: object = {}) {
  const request = {
    sourceUrl: container.fileUrl('in.wav'),
    ...settings,
    chunks,
    list: { uploadUrl: urlOf('chunks.json') },
  };
  return await container.call('POST', '/chunk', { ...request, ...more });
}

function kept(index: number) {
  const { start, duration, size, sha256 } = whole[index] as Chunk;
  return { index, kept: { start, duration, size, sha256, file: names[index] } };
}

function anew(index: number) {
  return { index, uploadUrl: urlOf(names[index] ?? '') };
}

const container = await stopAfterAll(TestContainer.start());
await makeMedia(container.mediaRoot, 'in.wav', '-f', 'lavfi', '-i', 'sine=r=8000:d=9');
const result = ChunkResult.parse((await cut([0, 1, 2].map(anew))).body);
const whole = result.chunks ?? [];
({ identity } = result);

test.each([0, 1, 2])(
  'cuts and stores only the missing chunk %i, in its old place, and keeps the others',
  async (missing) => {
    const name = names[missing] ?? '';
    const before = await pcmDigest(pathOf(name), 's16le');
    await rm(pathOf(name));
    const others = await Promise.all(
      names.filter((other) => other !== name).map(async (other) => (await stat(pathOf(other))).ino),
    );
    const answer = await cut(
      [0, 1, 2].map((index) => (index === missing ? anew(index) : kept(index))),
      { sourceIdentity: identity },
    );
    expect(ChunkResult.parse(answer.body).chunks).toEqual(whole);
    expect(await pcmDigest(pathOf(name), 's16le')).toBe(before);
    expect(await sha256Of(pathOf(name))).toBe(whole[missing]?.sha256);
    const untouched = names.filter((other) => other !== name);
    expect(await Promise.all(untouched.map(async (other) => (await stat(pathOf(other))).ino))).toEqual(others);
    const list = ChunkList.parse(JSON.parse(await readFile(pathOf('chunks.json'), 'utf8')));
    expect(list.chunks).toEqual(whole.map((chunk, index) => ({ ...chunk, file: names[index] })));
    expect(list.identity).toEqual(identity);
  },
);

test('never mixes chunks of another source with kept chunks', async () => {
  const other = await makeMedia(container.mediaRoot, 'other.wav', '-f', 'lavfi', '-i', 'sine=r=8000:d=9');
  const before = await sha256Of(pathOf(names[0] ?? ''));
  const answer = await cut([anew(0), kept(1), kept(2)], {
    sourceUrl: container.fileUrl('other.wav'),
    sourceIdentity: { ...(identity as object), size: (await stat(other)).size + 1 },
  });
  expect(answer).toMatchObject({ status: 422, body: { code: 'checksum_mismatch' } });
  expect(await sha256Of(pathOf(names[0] ?? ''))).toBe(before);
});

test('rejects a chunk that is both cut and kept, or neither', async () => {
  expect((await cut([{ ...kept(0), ...anew(0) }, kept(1), kept(2)])).body.error).toContain(
    'give either uploadUrl or kept',
  );
  expect((await cut([{ index: 0 }, kept(1), kept(2)])).body.error).toContain('give either uploadUrl or kept');
});
