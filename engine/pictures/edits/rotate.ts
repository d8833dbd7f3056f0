import type { PictureView } from '../../plan/video-plan.ts';
import { squared } from '../shown-size.ts';
import { turnFilters } from '../../ffmpeg/turn.ts';
import type { PictureEdit } from './picture-edit.ts';

export const rotate: PictureEdit = {
  plan({ settings }, { view: { kept, pixelAspect, isTurned: wasTurned } }) {
    const { rotate: turn = 0 } = settings;
    const isLying = turn === 90 || turn === 270;
    const turned = isLying ? { width: kept.height, height: kept.width } : kept;
    const aspect = isLying ? { num: pixelAspect.den, den: pixelAspect.num } : pixelAspect;
    const isTurned = isLying !== wasTurned;
    const view: PictureView = {
      turn,
      isTurned,
      window: undefined,
      kept: turned,
      pixelAspect: aspect,
      shown: squared(turned, aspect, isTurned),
    };
    return { view };
  },
  onSource: ({ view }) => [...turnFilters[view.turn]],
  obstacleToCopy: ({ view }, { source }) =>
    source.isUpright && view.turn === 0 ? undefined : "the source's pictures are turned",
};
