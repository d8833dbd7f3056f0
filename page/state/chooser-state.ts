import { signal } from '@preact/signals';

/** True while the dialog for choosing results is open. */
export const isChoosing = signal(false);

/** Text of the field for URLs. */
export const typedUrls = signal('');
