import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { signIn } from '../state/session.ts';
import { laterTexts } from '../later-texts.ts';

export function Login({ isWrong, login }: { isWrong: boolean; login: string | undefined }) {
  const token = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (token.value.trim() !== '') void signIn(token.value.trim());
  };
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{laterTexts.login.title}</h1>
      {login !== undefined && (
        <p>
          <a href={`${login}?to=${encodeURIComponent(location.pathname + location.search)}`}>
            {laterTexts.login.withAccount}
          </a>
        </p>
      )}
      <p class="quiet">{laterTexts.login.text}</p>
      <label class="field">
        {laterTexts.login.token}
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
          {laterTexts.login.refused}
        </p>
      )}
      <button type="submit" class="main">
        {laterTexts.login.submit}
      </button>
    </form>
  );
}
