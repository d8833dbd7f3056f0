// Receives messages of runs and trusts only those with a valid signature:
//
//   WEBHOOK_SECRET=whsec_… PORT=9000 node receive.ts
//
// The workers have the same secret as WEBHOOK_SECRET_DEMO, with the receiver's origin in WEBHOOK_SECRET_DEMO_ORIGINS.
// Runs are started with
// "webhook": {"url": "https://…/", "secret": "demo"}.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookMessage } from '@holdfast/client/webhooks';

/** Two secrets separated by a space work while one replaces the other. */
const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(' ');
/** Ids of handled messages: a message may arrive twice. To survive restarts, store them with the work. */
const seen = new Set<string>();

function handle({ type, data }: WebhookMessage): void {
  console.log(type, data.id, data.error ?? '');
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
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

const server = createServer((request, response) => void receive(request, response));
server.listen(Number(process.env['PORT'] ?? 9000), () => console.log('Listening on', server.address()));
