import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import type { Stack } from '../stack/stack.ts';
import type { RunTask } from './workflow-command.ts';

/** True if the container reads or writes files of the run that are on this machine. */
export function sharesFiles({ source, companions = [], delivery }: RunTask): boolean {
  return source.kind === 'file' || companions.length > 0 || delivery.destination.kind === 'folder';
}

/**
 * Checks that containers started elsewhere share this command's staging folder, before a run fails for that reason.
 * Asks for the metadata of a file that is not media: a container that can read it answers "undecodable", any other
 * refuses the URL.
 */
export async function assertReadsFiles({ kind, started, facts }: Stack, { containers }: Settings): Promise<void> {
  if (kind === 'attached' || started.includes('container')) return;
  const { mediaRoot, containerUrls } = facts;
  await mkdir(mediaRoot, { recursive: true });
  const probe = join(mediaRoot, `.probe-${randomUUID()}`);
  await writeFile(probe, 'not media');
  try {
    await Promise.all(containerUrls.map((url) => assertOneReads(url, probe, mediaRoot, containers.token)));
  } finally {
    await rm(probe, { force: true });
  }
}

async function assertOneReads(url: string, probe: string, mediaRoot: string, token: string | undefined): Promise<void> {
  // undici takes as long to load as the rest of the command.
  const { request } = await import('undici');
  const answer = await request(`${url}/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ sourceUrl: pathToFileURL(probe).href }),
    headersTimeout: 10_000,
  }).catch(() => undefined);
  // The run itself reports and waits for a container that does not answer.
  if (answer === undefined) return;
  await answer.body.dump();
  if (answer.statusCode !== 403 && answer.statusCode !== 404) return;
  throw new CliError(
    `The container at ${url} is already running and cannot read ${mediaRoot}, through which it gets and returns local files. ` +
      `Start it with MEDIA_ROOT=${mediaRoot}, set MEDIA_ROOT here to its folder, or stop it so that this command starts its own.`,
  );
}
