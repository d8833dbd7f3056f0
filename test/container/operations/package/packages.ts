import { createRequire } from 'node:module';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import type { JobView } from '../../../../contract/http/job.ts';
import type { Encodes } from '../../../support/encodes.ts';

// These packages have no types.
const require = createRequire(import.meta.url);

interface HlsPlaylist {
  isMasterPlaylist: boolean;
  variants: { uri: string; bandwidth: number; codecs: string; isIFrameOnly: boolean; audio: HlsSound[] }[];
  segments: { uri: string; duration: number }[];
}
interface HlsSound {
  language?: string;
  name: string;
  isDefault: boolean;
  uri: string;
}
interface DashManifest {
  playlists: { attributes: { CODECS: string; BANDWIDTH: number }; segments: unknown[] }[];
  mediaGroups: { AUDIO: Record<string, Record<string, { language: string; playlists: { segments: unknown[] }[] }>> };
}

const hls = require('hls-parser') as { parse(text: string): HlsPlaylist };
const m3u8 = require('m3u8-parser') as {
  Parser: new () => { push(text: string): void; end(): void; manifest: Record<string, unknown> };
};
const mpd = require('mpd-parser') as { parse(text: string, options: { manifestUri: string }): DashManifest };

export const readHls = async (path: string): Promise<HlsPlaylist> => hls.parse(await readFile(path, 'utf8'));

export async function readM3u8(path: string): Promise<Record<string, unknown>> {
  const parser = new m3u8.Parser();
  parser.push(await readFile(path, 'utf8'));
  parser.end();
  return parser.manifest;
}

export const readDash = async (path: string): Promise<DashManifest> =>
  mpd.parse(await readFile(path, 'utf8'), { manifestUri: 'http://media.test/manifest.mpd' });

/** Makes one package of a file under the media root, stores it in `out/<name>/`, and returns its output. */
export async function makePackageOf(
  { container }: Pick<Encodes, 'container'>,
  source: string,
  output: DescribedOutput,
  name: string,
): Promise<EncodeResult['outputs'][number]> {
  const jobId = await container.submit('/encode', {
    sourceUrl: container.fileUrl(source),
    outputs: [{ ...output, deliver: 'on_demand' }],
  });
  const wantsFiles = (job: JobView): boolean => {
    if (job.state !== 'running') throw new Error(JSON.stringify(job));
    return (job.wanted ?? []).length > 0;
  };
  await container.untilJob(jobId, 'files that it wants', wantsFiles, 240_000);
  const job = await container.job(jobId);
  const wanted = job.state === 'running' ? (job.wanted ?? []) : [];
  // Caches may keep media, but must revalidate playlists and manifests.
  for (const { name: file, cacheControl } of wanted) {
    const isIndex = /\.(?:m3u8|mpd)$/.test(file);
    expect(cacheControl).toBe(isIndex ? 'max-age=60' : 'max-age=31536000, immutable');
  }
  const urls = wanted.map((file) => ({
    ...{ output: file.output, name: file.name, url: container.fileUrl(`out/${name}/${file.name}`) },
  }));
  expect(await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls })).toMatchObject({ status: 202 });
  const ended = await container.untilEnded(jobId);
  if (ended.state !== 'succeeded') throw new Error(JSON.stringify(ended));
  const [answer] = EncodeResult.parse(ended.result).outputs;
  if (answer === undefined) throw new Error('No output');
  return answer;
}

/** Joins the init segment and these segments of a rendition. */
export async function joinSegments(folder: string, names: readonly string[], target: string): Promise<string> {
  const bytes = await Promise.all(['init.mp4', ...names].map((name) => readFile(join(folder, name))));
  await writeFile(target, Buffer.concat(bytes));
  return target;
}
