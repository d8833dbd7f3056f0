import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { OutputSettings } from '../../../../contract/output-settings.ts';
import { listPackets } from '../../../../engine/ffmpeg/packet-list.ts';
import { listPlacedPackets } from '../../../../engine/ffmpeg/packet-places.ts';
import { probeFile } from '../../../../engine/ffmpeg/probe.ts';
import { openPictures } from '../../../../engine/source/pictures/open-pictures.ts';
import { describePictures, timePictures } from '../../../../engine/source/pictures/picture-source.ts';
import { describeFields } from '../../../../engine/source/pictures/stored-fields.ts';
import { openSource } from '../../../../engine/source/source.ts';
import type { Work } from '../../../../engine/work.ts';
import { motion, quickH264 } from '../../../support/films.ts';
import { useFolder } from '../../../support/folder.ts';
import { makeMedia } from '../../../support/media-files.ts';

/** A gzipped MP4 of six grey pictures of 16x32 pixels, at 25 per second, whose H.264 has a sample for each field. */
const ofFields = [
  'H4sIAAAAAAACA2NgYFBIK6ksyCzOz2VgYGIA0UBslFiWbJhbYGLIwMDAkVaUmsrAIPQ1NyWxBMhn4hQAkqLpvgwaT30WMjAwMzCC',
  'CKN+Mb0FQAmWjHM2DQwMjO2pHa0MGiY2Ixw0DDSAxRhje2JHG9OCC6MRMogipIdlNEIGVYT0sY1GyKCKkCkcoxEyqCJkGtdohAyq',
  'CJnDMxohgypC5vGNRsigipAlAqMRMqgiZJnQaIQMqghZIzIaIYMqQtaJjUbIIIgQZs7c/PwyYMTk5JZlpDCgAOYXQOIDaPCLEVmY',
  'EVUVOt+BAS9gAqKIkqLEbCA7piQbbCczFtM+YOgkxl7QwJ0CmKuSmlJSDKRlUnOKS5B0fEDoZbyQm5KZCNKRm4Lmd8b4CQwMIQmh',
  'R8A83YyUnCKYVFlmSiqy0jAgP98jMS8lJxWkhrE6NzMvDcgQKcsFG4rsTJUUiJxMSlFqGpKjeEqLchQgbEbr4pKkHCB7eXFJcQqS',
  'mumgEUscQQHyuAKDB5D2wKkCHUj8/w/yGtBUZ0ZfBo3/D3GMeDIysEIGPIFeSiopgoQlU9kdMAYaU1wCDme4VxgY2DlAXgQ6PxlJ',
  'HCoHpl2AclVITgGKM24C4onEYwaR4pLkfCTzDYDYtjSlBBSfprmpYBoEFJHjDhjfRYkFBTnI4cCRCUwgAKDg9GsmFgAA',
].join('');

const folder = useFolder();
const { signal } = new AbortController();

async function describe(path: string) {
  const stream = describePictures(path, await probeFile(path, { signal }), { kind: 'unknown' } as never);
  if (stream === undefined) throw new Error('it has pictures');
  return await describeFields(stream, signal);
}

async function writeFields(): Promise<string> {
  const path = join(folder, 'fields.mp4');
  await writeFile(path, gunzipSync(Buffer.from(ofFields, 'base64')));
  return path;
}

test('recognises an MP4 with a sample for each field, and combines two fields to a picture', async () => {
  const path = await writeFields();
  const stream = await describe(path);
  expect(stream).toMatchObject({ storesFields: true, isInterlaced: true });
  const timed = timePictures(stream, await listPackets(path, 0, signal));
  expect(timed).toMatchObject({
    frames: 6,
    constantRate: { num: 25, den: 1 },
    stamps: [0, 1, 2, 3, 4, 5].map((n) => n * 3600),
  });
});

test('recognises fields in a source of which only some packets are present', async () => {
  const path = await writeFields();
  const limits = { maxSourceStreams: 8, maxSourceDurationSeconds: 60 } as never;
  const work = { folder, signal, advance: () => undefined } as unknown as Work;
  const outputs = [{ kind: 'file', video: { codec: 'h264', deinterlace: 'auto' } }] as unknown as OutputSettings[];
  const partial = { scan: () => Promise.resolve(undefined), list: listPlacedPackets };
  const { pictures } = await openPictures(await openSource(path, limits, signal), outputs, limits, work, partial);
  expect(pictures).toMatchObject({ frames: 6, constantRate: { num: 25, den: 1 } });
});

test('does not take pictures for fields, also if the file may have fields', async () => {
  const path = await makeMedia(folder, 'pictures.mp4', ...motion(0.8, '50'), ...quickH264);
  const stream = await describe(path);
  expect(stream).not.toHaveProperty('mayStoreFields');
  const read = await describeFields({ ...stream, mayStoreFields: true }, signal);
  expect(read).not.toHaveProperty('storesFields');
});
