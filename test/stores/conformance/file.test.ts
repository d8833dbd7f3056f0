import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openStores } from '../../../stores/backends.ts';
import { keepsPromises } from './promises.ts';

keepsPromises(
  'files under MEDIA_ROOT',
  async () => {
    const mediaRoot = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
    return {
      stores: openStores({ MEDIA_ROOT: mediaRoot }, 600),
      urlOf: (name) => pathToFileURL(join(mediaRoot, name)).href,
      mediaRoot,
      stop: () => rm(mediaRoot, { recursive: true }),
    };
  },
  { http: false, credentials: false },
);
