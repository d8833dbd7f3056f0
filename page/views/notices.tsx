import { dismiss, notices } from '../state/notices.ts';
import { texts } from '../texts.ts';

/** Notices of the page. A modal dialog covers those outside, so it shows them inside, too. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <p key={id} class={kind === 'said' ? 'hidden' : `notice ${kind}`}>
          <span>{text}</span>
          {kind !== 'said' && (
            <button type="button" class="plain" aria-label={texts.close} onClick={() => dismiss(id)}>
              ×
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
