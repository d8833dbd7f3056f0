// Starts the workflow `encode` from any TypeScript program that speaks to Temporal, and waits for its result:
//
//   node start-run.ts s3://recordings/talk.wav s3://published/talk.mp3
//
// TEMPORAL_ADDRESS names the Temporal server.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

const [sourceUrl, uploadUrl] = process.argv.slice(2);

const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
const client = new Client({ connection });
const handle = await client.workflow.start('encode', {
  taskQueue: 'holdfast',
  workflowId: `encode-${randomUUID()}`,
  args: [{ sourceUrl, outputs: [{ format: 'mp3_128', uploadUrl }] }],
});

// Polls the run's status.
const ended = handle.result().then(
  () => true,
  () => true,
);
while (!(await Promise.race([ended, setTimeout(500, false)]))) {
  const { phase, percent } = await handle.query<{ phase: string; percent: number }>('status');
  console.log(phase, `${percent} %`);
}

// Throws why the run has failed.
const { outputs } = (await handle.result()) as { outputs: { size: number; duration: number; sha256: string }[] };
console.log(JSON.stringify(outputs));
await connection.close();
