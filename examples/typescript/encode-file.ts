// Sends a file to a Holdfast server, watches it being encoded, and saves the result:
//
//   node encode-file.ts talk.wav talk.mp3
//
// HOLDFAST_URL names the server (default: that of `npm start`), HOLDFAST_TOKEN is for one that asks for a token.
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { HoldfastClient } from '@holdfast/client';

const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) throw new Error('Usage: node encode-file.ts <source> <target>');

const { HOLDFAST_URL: url = 'http://127.0.0.1:8088', HOLDFAST_TOKEN: token } = process.env;
const holdfast = new HoldfastClient({ url, ...(token !== undefined && { token }) });

const file = await openAsBlob(source);
const sourceUrl = await holdfast.upload(file, {
  name: basename(source),
  onProgress: (bytes) => console.log(`${Math.floor((100 * bytes) / file.size)} % sent`),
});

const { id } = await holdfast.start(
  {
    workflow: 'encode',
    input: { sourceUrl, outputs: [{ preset: 'podcast-mp3-stereo', uploadUrl: `result:${basename(target)}` }] },
  },
  // The key is the unique part of the upload's name: a repeated request, for example after a timeout, returns the same
  // run.
  { idempotencyKey: sourceUrl.slice(0, 29) },
);
for await (const { state, phase, percent } of holdfast.follow(id)) console.log(state, phase ?? '', percent ?? '');

const { files, failure } = await holdfast.get(id);
if (failure !== undefined) throw new Error(failure.message);
const result = files.find(({ kind }) => kind === 'output');
if (result === undefined) throw new Error('The server keeps no files: MEDIA_ROOT is not set.');
const answer = await fetch(new URL(result.url, url));
if (!answer.ok || answer.body === null) throw new Error(`${result.name}: the server answered ${answer.status}`);
await writeFile(target, answer.body);
console.log(`Saved ${target}, ${result.bytes} bytes`);
