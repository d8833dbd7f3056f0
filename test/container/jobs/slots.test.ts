import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlots, type Release } from '../../../container/jobs/slots.ts';

/** fast-check prints the seed of a failure; set the variable to repeat it. */
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 20_261_121);

test('never grants more slots than exist, in any order of acquires and releases', () => {
  type Command = { kind: 'acquire' } | { kind: 'release'; which: number };
  const command: fc.Arbitrary<Command> = fc.oneof(
    fc.constant({ kind: 'acquire' } as const),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 100 }), fc.integer({ min: 1, max: 3 }), (commands, limit) => {
      const slots = createSlots(limit);
      const granted: { id: string; release: Release; held: boolean }[] = [];
      let asked = 0;
      for (const step of commands) {
        const held = granted.filter((grant) => grant.held).length;
        if (step.kind === 'acquire') {
          const id = String(asked++);
          const release = slots.acquire(id);
          expect(release === undefined).toBe(held === limit);
          if (release !== undefined) granted.push({ id, release, held: true });
        } else {
          // Releasing a slot twice changes nothing.
          const grant = granted[step.which % Math.max(1, granted.length)];
          grant?.release();
          if (grant !== undefined) grant.held = false;
        }
        expect([...slots.activeIds]).toEqual(granted.filter((grant) => grant.held).map(({ id }) => id));
        expect(slots.remaining).toBe(limit - slots.activeIds.size);
      }
    }),
    { seed, numRuns: 500 },
  );
});
