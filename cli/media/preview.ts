import { CliError } from '../cli-error.ts';
import type { Wish } from './describe-outputs.ts';

/** Throws for an output of which ten seconds are no preview: a package, an image, an analysis. */
export function assertPreviewable(wishes: readonly Wish[]): void {
  const other = wishes.find(({ extension, isTagged }) => extension === undefined || !isTagged);
  if (other === undefined) return;
  throw new CliError(`--preview works only for audio and video files. Leave out ${other.label}.`);
}
