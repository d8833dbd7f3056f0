import { UnsupportedOutput } from '../contract/unsupported-output.ts';
import { MediaError } from './media-error.ts';

/** Runs `decide` and reports an output that cannot be made as `unsupported_format`. */
export function orUnsupported<Decided>(decide: () => Decided): Decided {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof UnsupportedOutput)) throw error;
    throw new MediaError('unsupported_format', error.message, { details: error.details });
  }
}
