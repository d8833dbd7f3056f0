// Asks a container for its health and has it encode the recording in its media folder.
//   node scripts/check-image/encode.mjs <address>
import assert from 'node:assert/strict';

const [address] = process.argv.slice(2);

async function call(path, body) {
  const response = await fetch(address + path, {
    signal: AbortSignal.timeout(60_000),
    ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

try {
  const health = await call('/health');
  assert.equal(health.status, 200);
  assert.equal(health.body.status, 'healthy');
  assert.equal((await call('/ready')).status, 200);
  const encode = await call('/encode', {
    sourceUrl: 'file:///media/source.wav',
    outputs: [
      { format: 'mp3', uploadUrl: 'file:///media/out.mp3' },
      { format: 'opus_24', channels: 1, uploadUrl: 'file:///media/out.ogg' },
    ],
  });
  assert.equal(encode.status, 200, JSON.stringify(encode.body));
  assert.equal(encode.body.success, true);
  for (const output of encode.body.outputs) console.log(`        ${JSON.stringify(output)}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
