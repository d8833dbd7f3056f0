import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { signIn } from '../state/session.ts';
import { texts } from '../texts.ts';

export function Login({ isWrong }: { isWrong: boolean }) {
  const token = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (token.value.trim() !== '') void signIn(token.value.trim());
  };
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.login.title}</h1>
      <p class="quiet">{texts.login.text}</p>
      <label class="field">
        {texts.login.token}
        <input
          ref={field}
          type="password"
          autocomplete="current-password"
          value={token.value}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? 'refused' : undefined}
          onInput={(event) => (token.value = event.currentTarget.value)}
        />
      </label>
      {isWrong && (
        <p id="refused" class="bad" role="alert">
          {texts.login.refused}
        </p>
      )}
      <button type="submit" class="main">
        {texts.login.submit}
      </button>
    </form>
  );
}
