import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EncodeResult } from '../../../contract/http/encode.ts';
import type { DescribedOutput } from '../../../contract/http/output.ts';
import { answerWith } from '../../container/transfer/ranged-source.ts';
import type { MediaServer } from '../../fixtures/media-server.ts';
import type { TestContainer } from '../../support/container.ts';
import { encodeSegments } from '../../support/parts.ts';
import { fileOf } from '../recipe.ts';
import { usualLikeness } from './compare-film.ts';
import type { FilmResult } from './check-film.ts';
import { describeFilm, differencesOf } from './described-film.ts';
import type { FilmKind } from './film-kind.ts';
import { likeness, shownPictures } from './shown.ts';

interface SpreadOutput {
  container: 'mp4' | 'mkv' | 'webm';
  codec: 'h264' | 'hevc' | 'vp9' | 'av1';
  /** One encoder makes the same pictures, key frames and packets. */
  isExact: boolean;
}

/** Fixed key frames, so that one encoder has them at the borders too. */
const video = { speed: 'fast', keyframeInterval: 1, crf: 20 } as const;

const codecs: readonly SpreadOutput[] = [
  { container: 'mp4', codec: 'h264', isExact: true },
  { container: 'mkv', codec: 'hevc', isExact: true },
  { container: 'webm', codec: 'vp9', isExact: false },
  { container: 'mp4', codec: 'av1', isExact: true },
];

/** Frame rates of the outputs, by their names; the second is for sources whose rate varies. */
const rates = { 'own rate': {}, '30 a second': { fps: 30 } } as const;

/** Fields of an answer that follow from the bytes of the file. */
function answerOf(output: EncodeResult['outputs'][number] | undefined): unknown {
  const { size: _, sha256: __, bitrate: ___, ...facts } = output ?? {};
  return JSON.parse(JSON.stringify(facts, (name, value: unknown) => (name === 'bitrate' ? undefined : value)));
}

async function pictureFaults(made: string, wanted: string): Promise<string[]> {
  const [own, others] = [await shownPictures(made), await shownPictures(wanted)];
  if (own.length !== others.length) return [`has ${own.length} pictures instead of ${others.length}`];
  const wrong = own.filter(({ time, pixels }, index) => {
    const other = others[index];
    return other?.time !== time || likeness(pixels, other.pixels) < usualLikeness;
  });
  return wrong.length === 0 ? [] : [`${wrong.length} pictures are others, the first at ${wrong[0]?.time} s`];
}

/**
 * Makes films of a kind in two segments and again by one encoder, and compares the files. The source has a server, so
 * that a segment reads only its part.
 */
export async function checkSpreadFilm(
  kind: FilmKind,
  container: TestContainer,
  media: MediaServer,
): Promise<FilmResult> {
  const folder = randomUUID();
  const path = (name: string): string => join(container.mediaRoot, folder, name);
  await mkdir(path(''));
  const body = await readFile(await fileOf(kind.source));
  const sourceUrl = media.on(`GET /${folder}`, (request, response) => answerWith({ body }, request, response));
  try {
    const faults: string[] = [];
    const found: string[] = [];
    for (const [group, rate] of Object.entries(rates)) {
      const requests = codecs.map(({ container, codec }): DescribedOutput => {
        return { container, video: { ...video, ...rate, codec } };
      });
      const make = async (name: string, extra: object = {}) => {
        const stored = requests.map((request, index) => {
          return { ...request, uploadUrl: container.fileUrl(`${folder}/${group}-${name}-${index}`) };
        });
        return await container.call('POST', '/encode', { sourceUrl, outputs: stored, ...extra });
      };
      const place = { sourceUrl, folder: join(folder, group) };
      const division = { segments: 2, segmentSeconds: { least: 1, most: 600 } };
      const planned = await encodeSegments(container, place, requests, division).catch((error: unknown) => {
        return { kind: 'failed', reason: String(error) } as const;
      });
      if (planned.kind === 'whole') {
        found.push(planned.reason);
        continue;
      }
      const whole = await make('whole');
      if (planned.kind === 'failed') {
        const code = String(whole.body.code);
        if (planned.reason.includes(`"${code}"`)) found.push(`refused: ${code}`);
        else faults.push(`${group}: fails in segments, and is ${code} by one encoder: ${planned.reason}`);
        continue;
      }
      const joined = await make('spread', { part: planned.join });
      if (joined.body.success !== true && joined.body.code === whole.body.code) {
        found.push(`refused: ${String(whole.body.code)}`);
        continue;
      }
      if (joined.body.success !== true || whole.body.success !== true) {
        const told = (of: typeof whole): string => `${of.body.code ?? 'made'}: ${of.body.error ?? ''}`;
        faults.push(`${group}: joined is ${told(joined)}, by one encoder is ${told(whole)}`);
        continue;
      }
      const [own, other] = [EncodeResult.parse(joined.body), EncodeResult.parse(whole.body)];
      faults.push(...differencesOf(own.source, other.source).map((each) => `${group}: source ${each}`));
      for (const [index, { codec, ...output }] of codecs.entries()) {
        const isExact = output.isExact && !(codec === 'hevc' && kind.standsStill === true);
        const [made, wanted] = ['spread', 'whole'].map((name) => path(`${group}-${name}-${index}`)) as [string, string];
        const ofFile = [
          ...differencesOf(await describeFilm(made, isExact), await describeFilm(wanted, isExact)),
          ...(isExact ? [] : await pictureFaults(made, wanted)),
          ...differencesOf(answerOf(own.outputs[index]), answerOf(other.outputs[index])),
        ];
        faults.push(...ofFile.map((fault) => `${group}, ${codec}: ${fault}`));
      }
      found.push(`${planned.segments.length} segments`);
      break;
    }
    return { kind, verdict: { faults, found: found.join(', ') } };
  } finally {
    await rm(path(''), { recursive: true });
  }
}
