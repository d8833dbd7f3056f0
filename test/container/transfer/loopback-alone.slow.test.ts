import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { run } from '../../support/process.ts';

/** Network namespace of Linux. */
const isolated = ['--map-root-user', '--net'];

interface Asked {
  status: number;
  code?: string;
  error?: string;
  /** Packets and connections without a route. */
  lost: number;
}

test('encodes with loopback as the only network, contacts no other address by itself, and names what it cannot reach', async ({
  skip,
}) => {
  skip(spawnSync('unshare', [...isolated, 'true']).status !== 0, 'no namespace of the network can be made here');
  const script = 'ip link set lo up && exec "$0" test/fixtures/isolated-container.ts';
  const { code, output } = await run('unshare', [...isolated, 'sh', '-c', script, process.execPath]);
  expect(code, output).toBe(0);
  const { here, elsewhere } = JSON.parse(output) as {
    here: Asked & { stored: number };
    elsewhere: Record<string, Asked>;
  };
  expect(here).toEqual({ status: 200, stored: expect.any(Number), lost: 0 });
  expect(here.stored).toBeGreaterThan(100_000);

  const unreached = {
    status: 502,
    code: 'source_unavailable',
    error: expect.stringMatching(/it cannot be reached\.$/),
  };
  expect(elsewhere).toMatchObject({
    ofAnAddress: unreached,
    ofIpv6: unreached,
    ofAName: {
      status: 502,
      code: 'source_unavailable',
      error: expect.stringMatching(/host name (?:could not be resolved|does not exist)\.$/),
    },
    ofAnInternalAddress: { status: 403, code: 'source_forbidden', lost: 0 },
    toAnAddress: { status: 502, code: 'upload_failed', error: expect.stringMatching(/it cannot be reached\.$/) },
  });
  // The kernel must count lost traffic for the check above to mean anything.
  const { ofAnAddress, ofIpv6, ofAName, toAnAddress } = elsewhere;
  for (const asked of [ofAnAddress, ofIpv6, ofAName, toAnAddress]) expect(asked?.lost).toBeGreaterThan(0);
});
