import { Fragment } from 'preact';
import { partsOfId } from '../words/parts-of-id.ts';

/** An id whose lines break evenly. Copied text has no breaks. */
export function IdWords({ id }: { id: string }) {
  return partsOfId(id).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
