import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EncodeResult } from '../../../contract/http/encode.ts';
import type { DescribedOutput } from '../../../contract/http/output.ts';
import type { TestContainer } from '../../support/container.ts';
import { placedSound } from '../placed-sound.ts';
import { fileOf } from '../recipe.ts';
import { together, type Verdict } from '../verdict.ts';
import type { FilmKind } from './film-kind.ts';
import { compareFilm, placeAt, type WantedFilm } from './compare-film.ts';
import { comparePoster } from './compare-poster.ts';
import { heardSound, likeness, shownPictures } from './shown.ts';

interface FilmOutput {
  request: DescribedOutput;
  /** Frame rate if the output does not keep the source's. */
  fps?: number;
  isSilent?: boolean;
}

/** Outputs of each film from one decode: every web codec, container and kind of timing. */
const filmOutputs: Readonly<Record<string, FilmOutput>> = {
  h264: { request: { preset: 'web-h264-720' } },
  hevc: { request: { container: 'mkv', video: { codec: 'hevc', crf: 12, speed: 'fast' } } },
  vp9: { request: { container: 'webm', video: { codec: 'vp9', crf: 20, speed: 'fast' } } },
  av1: {
    request: { container: 'mp4', video: { codec: 'av1', fps: 30, crf: 20, speed: 'fast' }, audio: false },
    fps: 30,
    isSilent: true,
  },
};

/** A time between two pictures of most films, so that rounding does not decide. */
const posterPercent = 57.7;
const poster: DescribedOutput = { image: 'poster', at: `${posterPercent}%`, imageFormat: 'png' };

/** Seconds of a poster that is compared with the first output. */
const posterSeconds = 0.3;
const early: DescribedOutput = { image: 'poster', at: posterSeconds, imageFormat: 'png' };

export interface FilmResult {
  kind: FilmKind;
  verdict: Verdict;
}

/** Makes all outputs of a film and a poster, and compares each with what plain ffmpeg decodes. */
export async function checkFilm(kind: FilmKind, container: TestContainer): Promise<FilmResult> {
  const folder = randomUUID();
  const path = (name: string): string => join(container.mediaRoot, folder, name);
  await mkdir(path(''));
  try {
    await link(await fileOf(kind.source), path('source'));
    const decoded = (await shownPictures(path('source'), kind.referenceFilters)).slice(kind.undecodable ?? 0);
    const isLonger = (decoded.at(-1)?.time ?? 0) - (decoded[0]?.time ?? 0) > posterSeconds;
    const earlyPosters = isLonger ? [early] : [];
    const ask = async (names: readonly string[]) =>
      await container.call('POST', '/encode', {
        sourceUrl: container.fileUrl(`${folder}/source`),
        outputs: [...names.map((name) => filmOutputs[name]?.request), poster, ...earlyPosters].map(
          (request, index) => ({
            ...request,
            uploadUrl: container.fileUrl(`${folder}/${names[index] ?? (index === names.length ? 'poster' : 'early')}`),
          }),
        ),
      });
    const refused = Object.entries(kind.refusedOutputs ?? {});
    const names = Object.keys(filmOutputs).filter((name) => kind.refusedOutputs?.[name] === undefined);
    const refusals: string[] = [];
    for (const [name, code] of kind.refused === undefined ? refused : [[names.join(), kind.refused] as const]) {
      const { body } = await ask(name.split(','));
      if (body.code !== code)
        refusals.push(`${name} is ${body.code ?? 'a success'} instead of ${code}: ${body.error ?? ''}`);
    }
    const left = (await readdir(path(''))).filter((name) => name !== 'source');
    if (left.length > 0) refusals.push(`${left.join(', ')} stored in spite of a refusal`);
    if (kind.refused !== undefined)
      return { kind, verdict: { faults: refusals, found: `refused: \`${kind.refused}\`` } };
    const { body } = await ask(names);
    if (body.success !== true) {
      return { kind, verdict: { faults: [...refusals, `is refused: ${body.code}: ${body.error}`], found: 'refused' } };
    }
    const { outputs } = EncodeResult.parse(body);
    const { lateSeconds = 0 } = kind;
    const pictures = decoded.map((picture) => ({ ...picture, time: picture.time - lateSeconds }));
    const noiseOf = async (name: string, stream?: number) =>
      kind.isNoise === true ? await placedSound(path(name), stream) : undefined;
    const wanted: WantedFilm = {
      pictures,
      sound: await heardSound(path('source'), kind.soundStream),
      noise: await noiseOf('source', kind.soundStream),
    };
    const verdicts = names.map(async (name, index) => {
      const made = {
        pictures: await shownPictures(path(name)),
        sound: await heardSound(path(name)),
        noise: await noiseOf(name),
      };
      const answered = outputs[index]?.streams?.find((stream) => stream.kind === 'video')?.frames;
      const verdict = compareFilm(made, wanted, { ...filmOutputs[name], ...kind });
      const miscounted =
        answered === made.pictures.length ? [] : [`answers ${answered} pictures but has ${made.pictures.length}`];
      return [name, { ...verdict, faults: [...verdict.faults, ...miscounted] }] as const;
    });
    const [image] = await shownPictures(path('poster'));
    const ofPoster = comparePoster(image, outputs[names.length]?.at, wanted, { ...kind, share: posterPercent / 100 });
    const [earlyImage] = isLonger ? await shownPictures(path('early')) : [];
    const [firstName] = names;
    const film = earlyImage === undefined || firstName === undefined ? [] : await shownPictures(path(firstName));
    const beside = film[placeAt(film, posterSeconds)];
    const isAlike = earlyImage === undefined || beside === undefined || likeness(earlyImage.pixels, beside.pixels) > 15;
    const ofClock = { faults: isAlike ? [] : [`is not the picture of ${firstName} at ${posterSeconds} s`], found: '' };
    const { faults, found } = together([
      ...(await Promise.all(verdicts)),
      ['poster', ofPoster],
      ['early poster', ofClock],
    ]);
    return { kind, verdict: { faults: [...refusals, ...faults], found } };
  } finally {
    await rm(path(''), { recursive: true });
  }
}
