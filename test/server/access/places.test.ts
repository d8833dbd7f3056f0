import { expect, test } from 'vitest';
import { anybodyHere, type Caller } from '../../../server/access/caller.ts';
import { Places } from '../../../server/access/places.ts';

const callerOf = (id: string, owner?: string): Caller => ({ id, owner, scopes: new Set(['read']) });

/** Takes places for a caller until it is refused. */
function fill(places: Places, caller: Caller): (() => void)[] {
  const taken: (() => void)[] = [];
  try {
    for (;;) taken.push(places.take(caller, 'things are running'));
  } catch (error) {
    expect(error).toMatchObject({ code: 'too_many_requests' });
  }
  return taken;
}

test('all tokens of an owner share a quarter of the places', () => {
  const places = new Places(8);
  const [first, ...more] = fill(places, callerOf('token 1', 'anna'));
  expect(more).toHaveLength(1);
  expect(fill(places, callerOf('token 2', 'anna'))).toHaveLength(0);
  first?.();
  expect(fill(places, callerOf('token 2', 'anna'))).toHaveLength(1);
});

test('a token without an owner has a quarter of its own, even if an owner has the token’s name', () => {
  const places = new Places(8);
  const callers = [callerOf('token 1'), callerOf('token 2'), callerOf('x', 'token 1'), callerOf('y', 'token 2')];
  expect(callers.map((caller) => fill(places, caller).length)).toEqual([2, 2, 2, 2]);
  expect(fill(places, callerOf('token 3'))).toHaveLength(0);
});

test('others can take a released place', () => {
  const places = new Places(4);
  const taken = ['a', 'b', 'c', 'd'].flatMap((id) => fill(places, callerOf(id)));
  expect(fill(places, callerOf('e'))).toHaveLength(0);
  taken[1]?.();
  expect(fill(places, callerOf('e'))).toHaveLength(1);
});

test('the local caller of a server without tokens may take all places', () => {
  expect(fill(new Places(8), anybodyHere)).toHaveLength(8);
});
