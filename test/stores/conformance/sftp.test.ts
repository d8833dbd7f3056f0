import { startSftp } from '../../support/sftp.ts';
import { serveBehindRelay } from './behind-relay.ts';
import { keepsPromises } from './promises.ts';

keepsPromises('SFTP', async () => await serveBehindRelay(startSftp), {
  http: true,
  credentials: false,
  relayed: true,
  partBytes: 1024 ** 2,
});
