import type { FilmImageSettings, PosterSettings, PreviewSettings } from '../../contract/film-image-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/output-settings.ts';
import { type PictureShape, planShape } from '../encode/video/picture-size.ts';
import type { PictureSource } from '../encode/video/picture-source.ts';
import { shownSize } from '../encode/video/picture-view.ts';
import { maxOutputPixels } from '../encode/video/video-plan.ts';
import { filmSeconds, pictureShownAt } from './film-clock.ts';

export interface PosterPlan {
  kind: 'poster';
  settings: PosterSettings;
  shape: PictureShape;
  /** Undefined: to be chosen. */
  number: number | undefined;
}

export interface PreviewPlan {
  kind: 'preview';
  settings: PreviewSettings;
  shape: PictureShape;
}

/** Every figure of an image of a film, as far as it follows from its headers. */
export type FilmImagePlan = PosterPlan | PreviewPlan;

/** Decides what an image is made of (pure). Throws `UnsupportedOutput`. */
export function planFilmImage(settings: FilmImageSettings, naming: OutputNaming, film: PictureSource): FilmImagePlan {
  const shape = planShape(settings, shownSize(film));
  const { width, height } = shape.size;
  if (width * height > maxOutputPixels) {
    throw new UnsupportedOutput(naming, `${width}x${height} pixels are more than the ${maxOutputPixels} of an output`);
  }
  if (/^(?:smpte2084|arib-std-b67)$/.test(film.colour.transfer ?? '')) {
    throw new UnsupportedOutput(
      naming,
      `images are not made of sources in high dynamic range (${film.colour.transfer})`,
    );
  }
  switch (settings.kind) {
    case 'poster':
      return { kind: 'poster', settings, shape, number: posterNumber(settings, naming, film) };
    case 'preview':
      return { kind: 'preview', settings, shape };
  }
}

function posterNumber({ at }: PosterSettings, naming: OutputNaming, film: PictureSource): number | undefined {
  const length = filmSeconds(film);
  switch (at.kind) {
    case 'auto':
      return undefined;
    case 'share':
      return pictureShownAt(film, at.share * length);
    case 'seconds':
      // Lengths of films are told rounded to milliseconds.
      if (at.seconds <= length + 0.001) return pictureShownAt(film, at.seconds);
      throw new UnsupportedOutput(
        naming,
        `the film ends at ${length.toFixed(3)} seconds, and has no picture at ${at.seconds}`,
        { duration: length },
      );
  }
}
