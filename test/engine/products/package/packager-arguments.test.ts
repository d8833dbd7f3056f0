import { expect, test } from 'vitest';
import { packagerArguments } from '../../../../engine/products/package/packager-arguments.ts';
import type { PackagePlan } from '../../../../engine/products/package/package-plan.ts';

const film = { kind: 'video', name: 'v90', path: '/job/v90.mp4', plan: {} };
const sounds = ['English', 'Deutsch', 'Deutsch 2'].map((title, index) => ({
  ...{ kind: 'audio', name: `a-${index}`, path: `/job/a-${index}.mp4`, plan: { audio: { codec: 'aac' } } },
  ...{ language: index === 0 ? 'en' : 'de', title },
}));

/** Labels of the sound in a package of these parts. */
function labelsOf(parts: readonly object[], kinds: readonly string[] = ['hls', 'dash']): string[] {
  const plan = { kinds, layout: 'files', segmentSeconds: 2, keyframeSeconds: 2, parts };
  const streams = packagerArguments(plan as unknown as PackagePlan, 'out').filter((one) => one.startsWith('in='));
  return streams.flatMap((stream) => /,dash_label=([^,]*)/.exec(stream)?.[1] ?? []);
}

test('each track beside pictures has a label of its own in the manifest, whatever its language', () => {
  expect(labelsOf([film, ...sounds])).toEqual(['English', 'Deutsch', 'Deutsch 2']);
  expect(labelsOf([film, ...sounds.slice(0, 1)])).toEqual(['English']);
});

test('sound without pictures is bitrates of one track, and HLS has no labels', () => {
  expect(labelsOf(sounds)).toEqual([]);
  expect(labelsOf([film, ...sounds], ['hls'])).toEqual([]);
});
