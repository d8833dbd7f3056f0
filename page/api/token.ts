const place = 'holdfast-token';

/** Of this tab alone: it is gone when the tab is. */
export function readToken(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined;
}

export function keepToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, token);
}
