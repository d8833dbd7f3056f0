import { describe, expect, test } from 'vitest';
import { failureOf } from '../../support/attempt.ts';
import { TestContainer } from '../../support/container.ts';
import { storeServers, trickle, useStore } from './store-support.ts';
import { rowsExcept } from '../../support/rows.ts';

describe.each(rowsExcept(['rclone'], storeServers))('delivery to %s', (_name, command) => {
  const at = useStore(command);

  test.each(
    rowsExcept(['low in bandwidth'], [
      ['high in latency', { type: 'latency', attributes: { latency: 200 } }],
      ['low in bandwidth', { type: 'bandwidth', attributes: { rate: 8_000 } }],
      ['cut after every 8 MB', { type: 'limit_data', attributes: { bytes: 8_000_000 } }],
    ] as const),
  )('a large file arrives intact over a connection that is %s', async (_way, toxic) => {
    const { attempt, input, object } = at.runOf();
    const heal = await at.line.poison('upstream', toxic);
    try {
      const result = await attempt().encode(input);
      await at.expectStored(object, result.outputs[0]?.sha256);
    } finally {
      await heal();
    }
  });

  test('a connection that is cut loses only the parts in transit', async () => {
    const { attempt, input, object } = at.runOf();
    const heal = await at.line.poison('upstream', trickle);
    const logged = at.container.process.logLines.length;
    const ended = attempt().encode(input);
    await at.untilDelivering();
    await at.line.cut();
    await at.container.process.until('a retry', () =>
      at.container.process.logLines.slice(logged).some(({ msg }) => msg === 'Upload failed; trying again'),
    );
    await at.line.mend();
    await heal();
    const result = await ended;
    await at.expectStored(object, result.outputs[0]?.sha256);
  });

  test('a store that stays unreachable fails the job and has no orphaned parts when it returns', async () => {
    const { attempt, input } = at.runOf();
    const heal = await at.line.poison('upstream', trickle);
    const failed = failureOf(attempt().encode(input));
    await at.untilDelivering();
    await at.line.cut();
    expect(await failed).toMatchObject({ type: 'ConnectionError', facts: { code: 'upload_failed' } });
    expect(await at.openUploads()).toHaveLength(1);
    await at.line.mend();
    await heal();
    await expect.poll(at.openUploads).toEqual([]);
  });

  test('the next attempt aborts the upload of a killed container', async () => {
    const { attempt, input, object } = at.runOf();
    const heal = await at.line.poison('upstream', trickle);
    const failed = failureOf(attempt().encode(input));
    await at.untilDelivering();
    await at.container.process.stop('SIGKILL');
    const { type, facts } = await failed;
    expect(type).toBe('ConnectionError');
    at.container = await TestContainer.restart(at.container);
    await heal();
    expect(await at.openUploads()).toHaveLength(1);
    const result = await attempt({ context: { state: facts.state } }).encode(input);
    await at.expectStored(object, result.outputs[0]?.sha256);
  });
});
