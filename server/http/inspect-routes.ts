import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { z } from 'zod';
import { InspectInput } from '../../contract/workflow/inspect.ts';
import { authorize } from '../access/authenticate.ts';
import type { FileNames } from '../files/file-names.ts';
import type { Inspector } from '../inspect/inspector.ts';
import { parseRequest } from './parse.ts';
import { readJson } from './read-json.ts';
import { recordOf } from '../../contract/record.ts';

const Fields = recordOf(z.string(), z.unknown());

export function inspectRouter(inspector: Inspector, names: FileNames): Router {
  const router = Router();
  router.post('/api/inspect', readJson, async (request, response) => {
    const caller = authorize(request, 'run');
    // Names such as upload:<id> become URLs before the schema checks them.
    const named = await names.resolve(parseRequest(Fields, request.body), { caller, folder: randomUUID() });
    const input = parseRequest(InspectInput, named);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // The client may have disconnected before the listener was added.
    if (response.destroyed) gone.abort();
    response.json(await inspector.inspect(input, caller, gone.signal));
  });
  return router;
}
