import { openStores } from '../../../stores/backends.ts';
import { FaultyLine } from '../../fixtures/faulty-line.ts';
import { startS3, versitygw } from '../../support/s3.ts';
import { keepsPromises } from './promises.ts';

/** versitygw is as strict as AWS about the size of parts, and about uploads that are interrupted. */
const server = await versitygw();

keepsPromises(
  'S3',
  async () => {
    const s3 = await startS3(['media'], server);
    const line = await FaultyLine.start(s3.endpoint);
    const savedEnvironment = { ...process.env };
    const storesWith = async (secret: string) => {
      Object.assign(process.env, s3.environment, { AWS_SECRET_ACCESS_KEY: secret });
      const stores = openStores({ AWS_ENDPOINT_URL_S3: line.url }, 600);
      // The SDK reads the environment at its first use.
      const store = await stores.at('s3://media/-');
      if (store?.kind === 'signing') await store.sign('s3://media/-', { kind: 'get' });
      return stores;
    };
    return {
      stores: await storesWith(s3.secretAccessKey),
      strangers: await storesWith('a-wrong-secret'),
      urlOf: (name) => `s3://media/${name}`,
      line,
      async stop() {
        process.env = savedEnvironment;
        await line.stop();
        await s3.stop();
      },
    };
  },
  { http: true, partBytes: 5 * 1024 ** 2, credentials: true },
);
