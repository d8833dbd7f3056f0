import { UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { VideoPlan } from '../../plan/video-plan.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { FieldOrder } from '../../source/pictures/scan/judge-scan.ts';
import { parityOf } from './deinterlace.ts';
import type { PictureEdit } from './picture-edit.ts';

const otherOrder: Record<FieldOrder, FieldOrder> = { 'upper first': 'lower first', 'lower first': 'upper first' };

/** Order of the source's fields, if an output keeps them. */
const keptOrder = (deinterlace: boolean | 'auto', { statedOrder }: PictureSource): FieldOrder | undefined =>
  deinterlace === false ? statedOrder : undefined;

/** States the other order of fields if the first line of the pictures becomes one of the other field. */
function orderFilters({ settings, view: { turn, window } }: VideoPlan, source: PictureSource): string[] {
  const order = keptOrder(settings.deinterlace, source);
  const isHalfTurn = (source.turn + turn) % 360 === 180;
  const isOddCrop = (window?.top ?? 0) % 2 === 1;
  return order === undefined || isHalfTurn === isOddCrop ? [] : [`setfield=mode=${parityOf(otherOrder[order])}`];
}

/** Keeps the fields of pictures that stay interlaced. Television pictures have an even number of lines. */
export const fieldOrder: PictureEdit = {
  plan({ settings, output, source }, { view }) {
    if (!view.isTurned || keptOrder(settings.deinterlace, source) === undefined) return {};
    throw new UnsupportedOutput(
      output,
      'its pictures would stay interlaced, and their lines would become columns; use "deinterlace": "auto"',
    );
  },
  onSource: orderFilters,
  obstacleToCopy: () => undefined,
};
