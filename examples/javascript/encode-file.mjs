// Sends a file to a Holdfast server, watches it being encoded, and saves the result:
//
//   node encode-file.mjs talk.wav talk.mp3
//
// HOLDFAST_URL names the server (default: that of `npm start`), HOLDFAST_TOKEN is for one that asks for a token.
import { openAsBlob } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

const { HOLDFAST_URL: url = 'http://127.0.0.1:8088', HOLDFAST_TOKEN: token } = process.env;

/** @param {string} source @param {string} target */
async function encodeFile(source, target) {
  const { HoldfastClient } = await import('@holdfast/client').catch(explain);
  const holdfast = new HoldfastClient({ url, ...(token !== undefined && { token }) });

  await access(source).catch(() => {
    throw new Error(`${source} cannot be read.`);
  });
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
    // The key is the unique part of the upload's name: a repeated request, for example after a timeout, returns the
    // same run.
    { idempotencyKey: sourceUrl.slice(0, 29) },
  );
  for await (const { state, phase, percent } of holdfast.follow(id)) console.log(state, phase ?? '', percent ?? '');

  const { files, failure } = await holdfast.get(id);
  if (failure !== undefined) throw new Error(failure.message);
  const result = files.find(({ kind }) => kind === 'output');
  if (result === undefined) throw new Error('The server stores no results: MEDIA_ROOT is not set.');
  const answer = await fetch(new URL(result.url, url));
  if (!answer.ok || answer.body === null) throw new Error(`${result.name}: the server answered ${answer.status}`);
  await writeFile(target, answer.body);
  console.log(`Saved ${target}, ${result.bytes} bytes`);
}

/** @param {Error} error @returns {never} */
function explain({ message }) {
  throw new Error(`${message}. README.md names what each example needs.`);
}

const [source, target] = process.argv.slice(2);
try {
  if (source === undefined || target === undefined) throw new Error('Usage: node encode-file.mjs <source> <target>');
  await encodeFile(source, target);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
