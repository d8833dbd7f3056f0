import { bearer } from '../server/access/token-holders.ts';
import type { AnnasThings } from './annas-things.ts';

// What Bert may ask for with Anna's ids, and what he may learn.

export interface Asked {
  path: string;
  body?: unknown;
  text?: Buffer;
  headers?: Record<string, string>;
}

/**
 * What Bert may learn: `hidden`: an id of Anna's gets the answer of an unknown id; `own`: an answer without anything of
 * Anna's; `refused`: the request is refused with this status.
 */
export type Verdict =
  | { kind: 'hidden'; asks(annas: AnnasThings, unknown: AnnasThings): [annas: Asked, unknown: Asked][] }
  | { kind: 'own'; asks(annas: AnnasThings): Asked[] }
  | { kind: 'refused'; status: number; asks(annas: AnnasThings): Asked[] };

const hidden = (ask: (things: AnnasThings) => Asked[]): Verdict => ({
  kind: 'hidden',
  asks: (annas, unknown) => {
    const others = ask(unknown);
    return ask(annas).map((one, index) => [one, others[index] ?? one]);
  },
});
const own = (asks: (annas: AnnasThings) => Asked[]): Verdict => ({ kind: 'own', asks });
const refused = (status: number, asks: (annas: AnnasThings) => Asked[]): Verdict => ({ kind: 'refused', status, asks });

export const encoded = encodeURIComponent;
const tus = { 'tus-resumable': '1.0.0' };
const ofRuns =
  (path: string, body?: unknown) =>
  ({ runs }: AnnasThings): Asked[] =>
    runs.map((id) => ({ path: `/api/runs/${encoded(id)}${path}`, body }));
const ofUploads =
  (more: Omit<Asked, 'path'> = {}) =>
  ({ uploads }: AnnasThings): Asked[] =>
    uploads.map((id) => ({ path: `/api/uploads/${encoded(id)}`, ...more, headers: { ...tus, ...more.headers } }));
const ofS3 =
  (path = '', body?: unknown) =>
  ({ s3Upload }: AnnasThings): Asked[] => [{ path: `/api/uploads/s3/${encoded(s3Upload)}${path}`, body }];
export const output = { format: 'flac', uploadUrl: 'https://out.test/a' };
const startWith = (input: object): Asked => ({ path: '/api/runs', body: { workflow: 'encode', input } });
const sourcesOf = ({ uploads, s3Source, object }: AnnasThings): string[] => [
  ...uploads.map((id) => `upload:${id}`),
  s3Source,
  object,
];
const plain = (path: string): Verdict => own(() => [{ path }]);

/** Requests and the expected answers by method and path of the OpenAPI document. */
export const verdicts: Record<string, Verdict> = {
  'GET /api/openapi.json': plain('/api/openapi.json'),
  'GET /ready': plain('/ready'),
  'GET /api/session': plain('/api/session'),
  'GET /api/presets': plain('/api/presets'),
  'POST /api/inspect': hidden((things) =>
    sourcesOf(things).map((sourceUrl) => ({ path: '/api/inspect', body: { sourceUrl } })),
  ),
  'GET /api/runs': own(({ runs, cursor, words }) => [
    { path: '/api/runs' },
    { path: `/api/runs?cursor=${encoded(cursor)}` },
    ...['ended', 'active', 'succeeded', 'running'].map((state) => ({ path: `/api/runs?state=${state}` })),
    ...[...runs, ...words, 'anna', '" OR HoldfastOwner = "anna', "' OR HoldfastOwner = 'anna"].map((q) => ({
      path: `/api/runs?q=${encoded(q)}`,
    })),
    ...['anna', 'ann', '', 'bert', 'bert" OR HoldfastOwner = "anna'].map((owner) => ({
      path: `/api/runs?owner=${encoded(owner)}`,
    })),
    ...['flac', "flac' OR HoldfastOwner = 'anna", "x') OR ('' = '"].map((format) => ({
      path: `/api/runs?format=${encoded(format)}`,
    })),
    { path: '/api/runs?since=2000-01-01T00:00:00Z&before=2100-01-01T00:00:00Z' },
  ]),
  'POST /api/runs': hidden((things) => [
    ...sourcesOf(things).map((sourceUrl) => startWith({ sourceUrl, outputs: [output] })),
    ...sourcesOf(things).map((url) =>
      startWith({ sourceUrl: 'https://in.test/a', outputs: [{ ...output, format: 'mp3_64', cover: { url } }] }),
    ),
  ]),
  'POST /api/runs:batch': hidden(({ runs, ...things }) => [
    ...['cancel', 'rerun'].map((action) => ({ path: '/api/runs:batch', body: { action, ids: runs } })),
    {
      path: '/api/runs:batch',
      body: {
        action: 'start',
        runs: sourcesOf({ runs, ...things }).map((sourceUrl) => ({
          workflow: 'encode',
          input: { sourceUrl, outputs: [output] },
        })),
      },
    },
  ]),
  'GET /api/runs/{id}': hidden(ofRuns('')),
  'GET /api/runs/{id}/events': hidden(ofRuns('/events')),
  'POST /api/runs/{id}/cancel': hidden(ofRuns('/cancel')),
  'POST /api/runs/{id}/priority': hidden(ofRuns('/priority', { priority: 1 })),
  'POST /api/runs/{id}/share': hidden(ofRuns('/share', { hours: 1 })),
  'PUT /api/runs/{id}/transcript': hidden((things) =>
    ofRuns('/transcript', { segments: [], duration: 0, complete: true, missing: [] })(things).map((asked) => ({
      ...asked,
      headers: { 'if-match': '"0"' },
    })),
  ),
  'POST /api/runs/{id}/rerun': hidden((things) => [
    ...ofRuns('/rerun')(things),
    ...ofRuns('/rerun', { input: { owner: 'anna' } })(things),
  ]),
  'GET /api/runs/{id}/webhooks': hidden(ofRuns('/webhooks')),
  'POST /api/runs/{id}/webhooks/replay': hidden((things) => [
    ...ofRuns('/webhooks/replay')(things),
    ...ofRuns('/webhooks/replay', { ids: things.messages })(things),
  ]),
  'GET /api/events': own(({ eventId }) => [
    { path: '/api/events' },
    { path: '/api/events', headers: { 'last-event-id': eventId } },
  ]),
  'GET /api/queue': plain('/api/queue'),
  'GET /api/queue/history': plain('/api/queue/history'),
  'GET /api/usage': own(() => [
    ...['', '?format=csv'].map((query) => ({ path: `/api/usage${query}` })),
    ...['anna', '', 'bert" OR HoldfastOwner = "anna'].map((owner) => ({ path: `/api/usage?owner=${encoded(owner)}` })),
  ]),
  'POST /api/estimate': own(() => [{ path: '/api/estimate', body: { source: { duration: 2 }, outputs: [output] } }]),
  'GET /api/errors': own(() => [{ path: '/api/errors?hours=720' }]),
  'GET /api/scale': plain('/api/scale'),
  'GET /api/limiters': plain('/api/limiters'),
  'GET /api/metrics': plain('/api/metrics'),
  'POST /api/limiters/{provider}/{model}/throttle': hidden(() => [
    { path: '/api/limiters/x/y/throttle', body: { seconds: 1 } },
  ]),
  'POST /api/limiters/{provider}/{model}/resume': hidden(() => [{ path: '/api/limiters/x/y/resume' }]),
  'POST /api/limiters/{provider}/{model}/set': hidden(() => [
    { path: '/api/limiters/x/y/set', body: { burstLimit: 1 } },
  ]),
  'POST /api/uploads': own(() => [
    {
      path: '/api/uploads',
      headers: { ...tus, 'upload-length': '9', 'upload-metadata': `owner ${Buffer.from('anna').toString('base64')}` },
    },
  ]),
  'HEAD /api/uploads/{id}': hidden(ofUploads()),
  'PATCH /api/uploads/{id}': hidden(
    ofUploads({
      text: Buffer.from('stolen'),
      headers: { 'upload-offset': '4', 'content-type': 'application/offset+octet-stream' },
    }),
  ),
  'DELETE /api/uploads/{id}': hidden(ofUploads()),
  'POST /api/uploads/s3': own(() => [{ path: '/api/uploads/s3', body: { filename: '../anna/a.wav', bytes: 9 } }]),
  'GET /api/uploads/s3/{id}': hidden(ofS3()),
  'POST /api/uploads/s3/{id}/parts': hidden(ofS3('/parts', { parts: [1] })),
  'POST /api/uploads/s3/{id}/complete': hidden(ofS3('/complete')),
  'DELETE /api/uploads/s3/{id}': hidden(ofS3()),
  // A ticket is encrypted: changed, or of another purpose, it opens nothing. Bert's token is no ticket.
  'GET /api/shared': refused(404, ({ tickets }) => [
    { path: '/api/shared' },
    ...tickets.flatMap((ticket) =>
      [ticket.replace(/[^.]/, '_'), ticket.replace(/[^.]+$/, 'A'.repeat(22)), ticket.replaceAll('.', '')].map(
        (changed) => ({
          path: '/api/shared',
          headers: bearer(changed),
        }),
      ),
    ),
  ]),
  'GET /media/zip/{ticket}': refused(404, ({ tickets }) =>
    tickets.flatMap((ticket) => [{ path: `/media/zip/${ticket}` }, { path: `/media/zip/${ticket.slice(1)}` }]),
  ),
  // A link needs its signature: without one, or with that of another file, it opens nothing.
  'GET /media/{place}': refused(404, ({ files }) =>
    files.flatMap((link) => [
      { path: new URL(link, 'http://a').pathname },
      { path: link.replace(/signature=./, (start) => (start.endsWith('A') ? 'signature=B' : 'signature=A')) },
      { path: link.replace(/expires=\d/, 'expires=9') },
      { path: link.replace(/\?/, '/../secret?') },
    ]),
  ),
  'GET /media/in/{token}/{file}': refused(404, ({ files }) =>
    files.map((link) => ({ path: `/media/in/x${new URL(link, 'http://a').pathname.replace('/media', '')}` })),
  ),
};
