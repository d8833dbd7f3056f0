import type { FilmKind } from './film-kind.ts';
import { codecKinds } from './kinds/codecs.ts';
import { containerKinds } from './kinds/containers.ts';
import { gapKinds } from './kinds/gaps.ts';
import { shapeKinds } from './kinds/shapes.ts';
import { damagedKinds, soundKinds } from './kinds/sounds.ts';
import { timingKinds } from './kinds/timing.ts';
import { unevenKinds } from './kinds/uneven.ts';

export const filmKinds: readonly FilmKind[] = [
  ...containerKinds,
  ...codecKinds,
  ...shapeKinds,
  ...timingKinds,
  ...unevenKinds,
  ...soundKinds,
  ...gapKinds,
  ...damagedKinds,
];
