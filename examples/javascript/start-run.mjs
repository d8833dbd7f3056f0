// Starts the workflow `encode` from any program that speaks to Temporal, and waits for its result:
//
//   node start-run.mjs s3://recordings/talk.wav s3://published/talk.mp3
//
// TEMPORAL_ADDRESS names the Temporal server.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** @param {string} sourceUrl @param {string} uploadUrl */
async function encode(sourceUrl, uploadUrl) {
  const { Client, Connection } = await import('@temporalio/client').catch(explain);
  const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
  const connection = await Connection.connect({ address }).catch(({ message }) => {
    throw new Error(`Temporal does not answer at ${address} (TEMPORAL_ADDRESS): ${message}`);
  });
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
    /** @type {{ phase: string, percent: number }} */
    const { phase, percent } = await handle.query('status');
    console.log(phase, `${percent} %`);
  }

  /** @type {{ outputs: unknown[] }} */
  const { outputs } = await handle.result();
  console.log(JSON.stringify(outputs));
  await connection.close();
}

/**
 * Why a run has failed is the cause of the error that its result throws.
 *
 * @param {unknown} error
 * @returns {string}
 */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** @param {Error} error @returns {never} */
function explain({ message }) {
  throw new Error(`${message}. README.md names what each example needs.`);
}

const [sourceUrl, uploadUrl] = process.argv.slice(2);
try {
  if (sourceUrl === undefined || uploadUrl === undefined) {
    throw new Error('Usage: node start-run.mjs <source URL> <target URL>');
  }
  await encode(sourceUrl, uploadUrl);
} catch (error) {
  console.error(reasonOf(error));
  // A connection may still be open.
  process.exit(1);
}
