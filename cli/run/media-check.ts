import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { CliError } from '../cli-error.ts';

/**
 * A container that we have not started may have no MEDIA_ROOT, or another one. Asked with a file that is no media: one that can read it calls it
 * undecodable, one that cannot refuses the address. Better now than after the run has failed.
 */
export async function assertReadsFrom(mediaRoot: string, containerUrls: readonly string[], token: string | undefined) {
  await mkdir(mediaRoot, { recursive: true });
  const probe = join(mediaRoot, `.probe-${process.pid}`);
  await writeFile(probe, 'not media');
  try {
    await Promise.all(containerUrls.map((url) => assertOneReads(url, probe, mediaRoot, token)));
  } finally {
    await rm(probe, { force: true });
  }
}

async function assertOneReads(url: string, probe: string, mediaRoot: string, token: string | undefined): Promise<void> {
  const answer = await request(`${url}/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ sourceUrl: pathToFileURL(probe).href }),
    headersTimeout: 10_000,
  }).catch(() => undefined);
  // It does not answer at all: the run will say so, and wait for it.
  if (answer === undefined) return;
  await answer.body.dump();
  if (answer.statusCode !== 403 && answer.statusCode !== 404) return;
  throw new CliError(
    `The container at ${url} runs already and does not read files under ${mediaRoot}, through which local files reach it. ` +
      `Start it with MEDIA_ROOT=${mediaRoot}, or set MEDIA_ROOT here to the folder that it uses, or stop it so that this command starts its own.`,
  );
}
