import { UnsupportedOutput } from '../contract/unsupported-output.ts';
import { MediaError } from './media-error.ts';

/** Decides, and tells the caller where an output cannot be made. */
export function orUnsupported<Decided>(decide: () => Decided): Decided {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof UnsupportedOutput)) throw error;
    throw new MediaError('unsupported_format', error.message, { details: error.details });
  }
}
