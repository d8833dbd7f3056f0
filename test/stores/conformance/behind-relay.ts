import { FaultyLine } from '../../fixtures/faulty-line.ts';
import { freePort } from '../../support/ports.ts';
import { openRelay } from '../../support/relay.ts';
import type { LoginServer } from '../../support/webdav.ts';
import type { ServedStore } from './suite.ts';

/** A store that signs nothing, with a relay before it and a line before the relay. */
export async function serveBehindRelay(start: () => Promise<LoginServer>): Promise<ServedStore> {
  const server = await start();
  const port = await freePort();
  const line = await FaultyLine.start(`http://127.0.0.1:${port}`);
  const relay = await openRelay(server.loginsFile, { port, address: line.url });
  return {
    stores: relay.stores,
    urlOf: (name) => `${server.root}/${name}`,
    line,
    async stop() {
      await line.stop();
      await relay.stop();
      await server.stop();
    },
  };
}
