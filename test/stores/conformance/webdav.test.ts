import { startWebdav } from '../../support/webdav.ts';
import { serveBehindRelay } from './behind-relay.ts';
import { keepsPromises } from './promises.ts';

keepsPromises('WebDAV', async () => await serveBehindRelay(startWebdav), {
  http: true,
  credentials: false,
  relayed: true,
});
