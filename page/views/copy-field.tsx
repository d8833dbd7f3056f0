import { laterTexts } from '../later-texts.ts';
import { tell } from '../state/notices.ts';

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  tell('done', laterTexts.copy.copied);
}

/** An address to copy. A click selects it, for browsers that do not let pages copy. */
export function CopyField({ label, text }: { label: string; text: string }) {
  return (
    <div class="copy-field">
      <label class="field">
        <span>{label}</span>
        <input readOnly value={text} onFocus={({ currentTarget }) => currentTarget.select()} />
      </label>
      <button
        type="button"
        aria-label={`${laterTexts.copy.button}: ${label}`}
        onClick={() => void copyText(text).catch(() => undefined)}
      >
        {laterTexts.copy.button}
      </button>
    </div>
  );
}
