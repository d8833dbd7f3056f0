import { containerFacts, isContainerName } from '../../contract/formats.ts';
import type { OwnOutput } from '../state/own-settings.ts';
import type { PresetView } from '../state/session.ts';
import { hasPictures } from './preset-groups.ts';

export type ExtraField = 'metadata' | 'chapters' | 'cover' | 'trim' | 'subtitles' | 'captions' | 'watermark';

/** Settings of one run's files, in addition to the presets. */
export type Extras = Pick<OwnOutput, ExtraField>;

/** True if a result of the preset can have the field. */
export function canHold(preset: PresetView, field: ExtraField): boolean {
  if (field === 'trim') return true;
  if (field === 'subtitles' || field === 'captions' || field === 'watermark') return hasPictures(preset);
  const { container = '' } = preset;
  if (preset.package !== undefined || !isContainerName(container)) return false;
  const { tags } = containerFacts(container);
  return tags === 'all' || (tags === 'metadata' && field === 'metadata');
}

/** The extras that a result of the preset can have. */
export function fittingExtras(preset: PresetView, extras: Extras): Extras {
  const { metadata } = preset;
  const entries = Object.entries(extras).filter(
    ([field, value]) => value !== undefined && canHold(preset, field as ExtraField),
  );
  const fitting: Extras = Object.fromEntries(entries);
  return fitting.metadata === undefined ? fitting : { ...fitting, metadata: { ...metadata, ...fitting.metadata } };
}
