const place = 'holdfast-token';

/** Kept in this tab only, until it is closed. */
export function readToken(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined;
}

export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, token);
}
