/**
 * A transfer of `npm run bench:stores` in a process of its own, by a container's code. The argument is a file with the
 * transfer as JSON. Prints its cost as JSON.
 */
import { readFile } from 'node:fs/promises';
import { createTransferCounters } from '../container/transfer/counters.ts';
import { type DeliveryTarget } from '../container/transfer/delivery-target.ts';
import type { Digest } from '../container/transfer/digest.ts';
import { downloadSource } from '../container/transfer/download.ts';
import { createMediaAgent } from '../container/transfer/http-agent.ts';
import { jobRoom } from '../container/transfer/scratch-room.ts';
import { uploadFile } from '../container/transfer/upload.ts';
import { uploadInParts } from '../container/transfer/upload-in-parts.ts';
import { nothingAllowed, parseAllowedAddresses } from '../network/address-guard.ts';
import { createLog } from '../process/log.ts';
import { cost } from './cost.ts';
import { peakMebibytes } from './process-memory.ts';

export type Transfer = { path: string; mediaRoot: string | undefined } & (
  { kind: 'read'; sourceUrl: string } | { kind: 'write'; target: DeliveryTarget; digest: Digest }
);

const [path = ''] = process.argv.slice(2);
const transfer = JSON.parse(await readFile(path, 'utf8')) as Transfer;
const parsed = parseAllowedAddresses('127.0.0.1');
const dispatcher = createMediaAgent(parsed.kind === 'allowed' ? parsed.allowed : nothingAllowed, 60);
const common = {
  ...{ dispatcher, mediaRoot: transfer.mediaRoot },
  ...{ signal: new AbortController().signal, onProgress: () => {} },
};

async function read(target: string, sourceUrl: string): Promise<void> {
  const limits = { maxBytes: Infinity, connections: 4, room: jobRoom(async () => Infinity) };
  await downloadSource(sourceUrl, target, { ...common, ...limits });
}

async function write(target: DeliveryTarget, digest: Digest): Promise<void> {
  const options = {
    ...{ ...common, jobId: 'bench', counters: createTransferCounters(), log: createLog('bench', 'silent') },
    limits: { stallTimeoutMs: 60_000, answerTimeoutMs: 600_000 },
  };
  const file = { path: transfer.path, contentType: 'video/mp4', digest };
  if (target.kind === 'multipart') await uploadInParts(file, target, new Map(), options);
  else await uploadFile({ ...file, uploadUrl: target.url }, options);
}

const spent = await cost(async () => {
  if (transfer.kind === 'read') await read(transfer.path, transfer.sourceUrl);
  else await write(transfer.target, transfer.digest);
});
await dispatcher.destroy();
console.log(JSON.stringify({ ...spent, mebibytes: peakMebibytes(process.pid) }));
