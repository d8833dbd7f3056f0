import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { beginParts, receivesParts } from '../../../activities/storage/part-urls.ts';
import { RequestUrls } from '../../../activities/storage/request-urls.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { type DeliveryTarget, targetOf } from '../../../container/transfer/delivery-target.ts';
import { type Digest, digestFile } from '../../../container/transfer/digest.ts';
import { uploadFile } from '../../../container/transfer/upload.ts';
import { uploadInParts } from '../../../container/transfer/upload-in-parts.ts';
import type { UploadOptions } from '../../../container/transfer/upload-options.ts';
import { type PartPlan, type PartSizes, planParts } from '../../../contract/part-plan.ts';
import { createLog } from '../../../process/log.ts';
import type { Stores } from '../../../stores/backends.ts';
import { runOfTest } from '../../support/relay.ts';
import { fetchUrl } from '../../container/transfer/ranged-source.ts';

export type PartUrls = Awaited<ReturnType<RequestUrls['resolveParts']>>;

interface Delivery {
  /** Continues this upload; otherwise a new one begins. */
  uploadId?: string;
  /** ETags of the parts that the upload has, by index. */
  storedParts?: Map<number, string>;
  /** Changes the URLs that the worker gives. */
  changeUrls?: (urls: PartUrls) => Promise<PartUrls>;
  signal?: AbortSignal;
  onProgress?: (bytes: number) => void;
}

export interface ContainerSide {
  /** The bytes of an object, as a container downloads them. */
  fetch(stores: Stores, url: string): Promise<Buffer>;
  /** Stores the bytes as a container does: by one PUT or in parts. Returns the number of retries. */
  deliver(stores: Stores, url: string, body: Buffer, delivery?: Delivery): Promise<number>;
  /** Stores a file in the same way. */
  deliverFile(
    stores: Stores,
    url: string,
    file: { path: string; digest: Digest },
    delivery?: Delivery,
  ): Promise<number>;
}

/** The container's own code for downloads and uploads, with URLs as a worker gives them to it. */
export function containerSide(
  dispatcher: Dispatcher,
  mediaRoot: string | undefined,
  partSizes: PartSizes,
): ContainerSide {
  const deliverFile: ContainerSide['deliverFile'] = async (stores, url, { path, digest }, delivery = {}) => {
    const { uploadId: _, storedParts = new Map(), changeUrls: _changeUrls, ...rest } = delivery;
    const counters = createTransferCounters();
    const options: UploadOptions = {
      ...{ jobId: 'a-job', dispatcher, mediaRoot, counters, log: createLog('test', 'silent') },
      limits: { stallTimeoutMs: 30_000, answerTimeoutMs: 30_000 },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
      ...rest,
    };
    const file = { path, contentType: 'video/mp4', digest };
    const plan = planParts(digest.size, partSizes);
    const target = await targetFor(stores, url, { ...delivery, size: digest.size, plan });
    if (target.kind === 'multipart') await uploadInParts(file, target, storedParts, options);
    else await uploadFile({ ...file, uploadUrl: target.url }, options);
    return counters.uploadRetries;
  };
  return {
    deliverFile,
    async fetch(stores, url) {
      const sourceUrl = await new RequestUrls(stores, runOfTest).resolveSource(url);
      return (await fetchUrl(sourceUrl, { dispatcher, mediaRoot })).bytes;
    },
    async deliver(stores, url, body, delivery) {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
      try {
        const path = join(folder, 'output');
        await writeFile(path, body);
        const digest = await digestFile(path, new AbortController().signal, () => {});
        return await deliverFile(stores, url, { path, digest }, delivery);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}

/** The target that a worker gives for a file that is sent in these parts. */
export async function targetFor(
  stores: Stores,
  url: string,
  { size, plan, uploadId, changeUrls = async (urls) => urls }: { size: number; plan: PartPlan | undefined } & Delivery,
): Promise<DeliveryTarget> {
  const store = await stores.at(url);
  const place = { output: 0, name: '' };
  const urls = new RequestUrls(stores, runOfTest);
  if (!receivesParts(store) || plan === undefined) return targetOf({ ...place, url: await urls.resolveUpload(url) });
  const headers = { contentType: 'video/mp4' };
  const id = uploadId ?? (await beginParts(store, url, headers, AbortSignal.timeout(20_000)));
  const signed = await changeUrls(await urls.resolveParts(store, url, id, size, plan));
  return targetOf({ ...place, partSize: plan.partSize, ...signed });
}
