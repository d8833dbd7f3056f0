import { expect, test } from 'vitest';
import { anybodyHere, type Caller } from '../../../server/access/caller.ts';
import { Places } from '../../../server/access/places.ts';

const callerOf = (id: string, owner?: string): Caller => ({ id, owner, scopes: new Set(['read']) });

/** How many places a caller is given until it is refused. */
function fill(places: Places, caller: Caller): (() => void)[] {
  const taken: (() => void)[] = [];
  try {
    for (;;) taken.push(places.take(caller, 'things are done'));
  } catch (error) {
    expect(error).toMatchObject({ code: 'too_many_requests' });
  }
  return taken;
}

test('an owner has a quarter of the places, by all of its tokens together', () => {
  const places = new Places(8);
  const [first, ...more] = fill(places, callerOf('token 1', 'anna'));
  expect(more).toHaveLength(1);
  expect(fill(places, callerOf('token 2', 'anna'))).toHaveLength(0);
  first?.();
  expect(fill(places, callerOf('token 2', 'anna'))).toHaveLength(1);
});

test('whoever has no owner has a quarter, too, and is no owner of its name', () => {
  const places = new Places(8);
  const callers = [callerOf('token 1'), callerOf('token 2'), callerOf('x', 'token 1'), callerOf('y', 'token 2')];
  expect(callers.map((caller) => fill(places, caller).length)).toEqual([2, 2, 2, 2]);
  expect(fill(places, callerOf('token 3'))).toHaveLength(0);
});

test('a place that is given back is there for others', () => {
  const places = new Places(4);
  const taken = ['a', 'b', 'c', 'd'].flatMap((id) => fill(places, callerOf(id)));
  expect(fill(places, callerOf('e'))).toHaveLength(0);
  taken[1]?.();
  expect(fill(places, callerOf('e'))).toHaveLength(1);
});

test('where nobody needs a token all places are for whoever is here', () => {
  expect(fill(new Places(8), anybodyHere)).toHaveLength(8);
});
