import type { Kind } from './kind.ts';
import { damagedKinds } from './kinds/damaged.ts';
import { joinKinds } from './kinds/joins.ts';
import { losslessKinds } from './kinds/lossless.ts';
import { lossyKinds } from './kinds/lossy.ts';
import { pcmKinds } from './kinds/pcm.ts';
import { rareKinds } from './kinds/rare.ts';
import { refusedKinds } from './kinds/refused.ts';
import { timingKinds } from './kinds/timing.ts';

export const kinds: readonly Kind[] = [
  ...pcmKinds,
  ...losslessKinds,
  ...lossyKinds,
  ...rareKinds,
  ...timingKinds,
  ...joinKinds,
  ...damagedKinds,
  ...refusedKinds,
];
