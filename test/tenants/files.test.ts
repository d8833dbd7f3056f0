import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ChunkingInput } from '../../contract/workflow/chunking.ts';
import { EncodeInput } from '../../contract/workflow/encode.ts';
import { InspectInput } from '../../contract/workflow/inspect.ts';
import { ProcessingInput } from '../../contract/workflow/processing.ts';
import type { Caller } from '../../server/access/caller.ts';
import { FileNames } from '../../server/files/file-names.ts';
import { bodyWith, textFields } from './input-fields.ts';

const names = new FileNames({
  ownerPrefixes: [
    's3://media/owners/{owner}/',
    's3://shared/',
    'sftp://nas.test/owners/{owner}/',
    'webdav+https://dav.test/owners/{owner}/',
    'az://account/owners/{owner}/',
    'gs://bucket/owners/{owner}/',
  ],
});
const callerOf = (owner: string | undefined): Caller => ({ id: 'token 1', owner, scopes: new Set(['run']) });

/** Fields that accept URLs of stores. The schema names the schemes when it refuses another one. */
function urlFields(schema: z.ZodType): string[] {
  return textFields(schema).filter((field) => {
    const refused = JSON.stringify(schema.safeParse(bodyWith(field, 'ftp://media/')).error?.issues);
    return /must be a URL that starts with [^"]*file:/.test(refused);
  });
}

const schemas = { encode: EncodeInput, chunking: ChunkingInput, processing: ProcessingInput, inspect: InspectInput };
const fields = Object.entries(schemas).flatMap(([kind, schema]) =>
  urlFields(schema).map((field): [string, string] => [kind, field]),
);

test('finds each field with the URL of a file, so that the next tests miss none', () => {
  expect(fields.map((field) => field.join(' '))).toEqual([
    'encode outputs[].chapters.url',
    'encode outputs[].cover.url',
    'encode outputs[].encryption.keyUrl',
    'encode outputs[].subtitles.add[].url',
    'encode outputs[].subtitles.burn.url',
    'encode outputs[].uploadUrl',
    'encode outputs[].uploadUrlPrefix',
    'encode outputs[].watermark.url',
    'encode sourceUrl',
    'encode transcript.uploadUrlPrefix',
    'chunking chunks[].uploadUrl',
    'chunking sourceUrl',
    'chunking uploadUrlPrefix',
    'processing resume.chunks[].url',
    'processing resume.encoded.url',
    'processing sourceUrl',
    'processing uploadUrlPrefix',
    'inspect sourceUrl',
  ]);
});

const resolve = async (field: string, url: string, owner: string | undefined) =>
  await names.resolve(bodyWith(field, url), { caller: callerOf(owner), folder: 'of-the-run' });

test.each(fields)('an owner names no file of others in the field of %s: %s', async (_kind, field) => {
  for (const url of [
    'file:///media/holdfast/results/1/talk.mp3',
    'FILE:///media/talk.mp3',
    'file:media/talk.mp3',
    ' \tfile:///media/talk.mp3',
    'f\nile:///media/talk.mp3',
    's3://media/owners/bert/',
    's3://media/owners/',
    's3://media/owners/anna',
    's3://media/owners/anna/',
    's3://media/owners/annabel/talk.mp3',
    's3://media/owners/anna/../bert/',
    's3://media/owners/anna/./talk.mp3',
    's3://media/owners/Anna/talk.mp3',
    's3://media/talk.mp3',
    's3://other/owners/anna/talk.mp3',
    's3://shared',
    ' s3://media/owners/bert/talk.mp3',
    'S3://media/owners/bert/talk.mp3',
    's3:/media/owners/anna/talk.mp3',
    '\ts\n3://media/owners/bert/talk.mp3',
    'sftp://nas.example.com/owners/anna/',
    ' SFTP://nas.example.com/owners/anna/',
    's\nftp://nas.example.com/owners/anna/',
    'webdav+https://nas.example.com/owners/anna/',
    'WebDAV+HTTP://nas.example.com/owners/anna/',
    'sftp://nas.test/owners/bert/talk.wav',
    'sftp://nas.test/owners/anna/../bert/talk.wav',
    'sftp://nas.test/owners/anna/..\\bert/talk.wav',
    'sftp://nas.test/owners/anna/in./',
    'sftp://nas.test:2222/owners/anna/in/',
    'sftp://bert@nas.test/owners/anna/in/',
    'webdav+https://dav.test/owners/Anna/in/',
    'webdav+http://dav.test/owners/anna/in/',
    'webdav+https://dav.test/owners/anna/../bert/',
    'az://account/owners/bert/talk.wav',
    'az://account/owners/anna/../bert/talk.wav',
    'az://account/owners/anna/..\\bert/talk.wav',
    'az://account/owners/anna/in./',
    'az://other/owners/anna/in/',
    'az://account//owners/anna/in/',
    ' AZ://account/owners/anna/in/',
    'gs://bucket/owners/bert/talk.wav',
    'gs://bucket/owners/anna/../bert/talk.wav',
    'gs://bucket//owners/anna/in/',
    'g\ns://bucket/owners/anna/in/',
  ]) {
    await expect(resolve(field, url, 'anna'), url).rejects.toMatchObject({ code: 'forbidden' });
  }
  for (const url of [
    's3://media/owners/anna/in/',
    's3://shared/a.wav',
    'https://media.test/s3://media/a',
    'sftp://nas.test/owners/anna/a#1%/b/',
    'webdav+https://dav.test/owners/anna/in/',
    'az://account/owners/anna/in/',
    'gs://bucket/owners/anna/in/',
  ]) {
    expect(await resolve(field, url, 'anna')).toEqual(bodyWith(field, url));
  }
  for (const url of ['file:///media/', 's3://media/owners/bert/']) {
    expect(await resolve(field, url, undefined)).toEqual(bodyWith(field, url));
  }
});

test.each(fields)('a changed repeat keeps no object of others in the field of %s: %s', async (_kind, field) => {
  const root = '/media/holdfast';
  const folders = { root, uploads: `${root}/uploads`, results: `${root}/results`, transcripts: `${root}/transcripts` };
  const ownNames = new FileNames({ folders, ownerPrefixes: ['s3://media/owners/{owner}/'] });
  const check = (url: string) => ownNames.requireOwnObjects(bodyWith(field, url), callerOf('anna'));
  await expect(check('s3://media/owners/bert/talk.mp3')).rejects.toThrow('outside the prefixes');
  await expect(check('file:///media/library/talk.mp3')).rejects.toThrow('is a file: URL');
  await expect(check(`file://${root}/uploads/../../library/talk.mp3`)).rejects.toThrow('is a file: URL');
  // The server itself has put results into the input of the old run.
  for (const url of ['s3://media/owners/anna/in/', `file://${root}/results/1/talk.mp3`, 'https://media.test/a'])
    await check(url);
});

test.each(['..', '.', 'bert/../anna', 'a/b', '{owner}', '%2e%2e', 'ä', ' anna', "anna'"])(
  'the prefix of the owner %j contains nothing of others',
  async (owner) => {
    for (const url of ['s3://media/owners/anna/a', 's3://media/owners/b/a', 's3://media/a', 's3://media/owners/../a']) {
      await expect(resolve('sourceUrl', url, owner)).rejects.toMatchObject({ code: 'forbidden' });
    }
  },
);
