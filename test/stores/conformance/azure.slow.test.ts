import { openStores } from '../../../stores/backends.ts';
import { FaultyLine } from '../../fixtures/faulty-line.ts';
import { startAzurite } from '../../support/azurite.ts';
import { keepsPromises } from './promises.ts';

keepsPromises(
  'Azure Blob Storage',
  async () => {
    const azurite = await startAzurite();
    const line = await FaultyLine.start(azurite.endpoint);
    const storesWith = (key?: string) =>
      openStores(
        { AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString({ endpoint: line.url, ...(key && { key }) }) },
        600,
      );
    return {
      stores: storesWith(),
      strangers: storesWith(Buffer.from('a wrong key').toString('base64')),
      urlOf: (name) => `az://${azurite.account}/media/${name}`,
      line,
      async stop() {
        await line.stop();
        await azurite.stop();
      },
    };
  },
  { http: true, partBytes: 1024 ** 2, credentials: true, misnamesExpiry: true },
);
