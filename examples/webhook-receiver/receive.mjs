// Receives messages of runs and trusts only those with a valid signature:
//
//   WEBHOOK_SECRET=whsec_… PORT=9000 node receive.mjs
//
// The workers have the same secret as WEBHOOK_SECRET_DEMO, with the receiver's origin in WEBHOOK_SECRET_DEMO_ORIGINS.
// Runs are started with
// "webhook": {"url": "https://…/", "secret": "demo"}.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { verifyWebhook } = await import('@holdfast/client/webhooks').catch(({ message }) =>
  stop(`${message}. README.md names what each example needs.`),
);

/** Two secrets separated by a space work while one replaces the other. */
const secrets = process.env['WEBHOOK_SECRET']?.split(' ') ?? stop('Set WEBHOOK_SECRET to the secret of the workers.');
/** Ids of handled messages: a message may arrive twice. To survive restarts, store them with the work. */
const seen = new Set();

/** @param {import('@holdfast/client/webhooks').WebhookMessage} message */
function handle({ type, data }) {
  console.log(type, data.id, data.error ?? '');
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function receive(request, response) {
  try {
    const message = verifyWebhook(await text(request), request.headers, secrets);
    const id = String(request.headers['webhook-id']);
    if (!seen.has(id)) handle(message);
    seen.add(id);
    // Answer within 15 seconds and do longer work afterwards.
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}

/** @param {string} reason @returns {never} */
function stop(reason) {
  console.error(reason);
  process.exit(1);
}

const server = createServer((request, response) => void receive(request, response));
server.on('error', ({ message }) => stop(message));
server.listen(Number(process.env['PORT'] ?? 9000), () => console.log('Listening on', server.address()));
