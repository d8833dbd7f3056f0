import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { InputFile } from '../../contract/places.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { ServiceError } from '../errors.ts';
import { currentMeter } from '../../engine/usage.ts';
import type { JobContext } from '../jobs/job.ts';
import type { AllowedAddresses } from '../../network/address-guard.ts';
import { deliverFiles } from './deliver-files.ts';
import type { DeliverableFile } from './delivery.ts';
import { KeptInputs } from './kept-inputs.ts';
import { sizeProblem, urlsOf, type DeliveryTarget } from './delivery-target.ts';
import { downloadSource, namingFailures } from './download.ts';
import { identifySource } from './identify-source.ts';
import { PartialDownload } from './partial-download.ts';
import { freeBytesIn, jobRoom, SharedRoom, type ScratchRoom } from './scratch-room.ts';
import type { DownloadOptions } from './save-source.ts';
import { versionOfIdentity } from './source-answer.ts';
import { atPlace } from './source-place.ts';
import { checkUploadHosts, checkUploadUrl } from './upload-target.ts';
import type { TransferCounters } from './counters.ts';
import type { UploadLimits } from './upload-watch.ts';

export interface RequestedSource {
  sourceUrl: string;
  sourceSha256?: string | undefined;
  headers?: TransferHeaders | undefined;
  /** Limit for a source that must be smaller than others. */
  maxBytes?: number;
  /** Called with each URL that the source redirects to. */
  onRedirect?: (url: string) => void;
}

/** Downloads and uploads of a job; they report its progress. */
export interface MediaTransfer {
  /** Finds the files that a request reads; must be called before they are read. No upload replaces one of them. */
  keepInputs(inputs: readonly InputFile[]): Promise<KeptInputs>;
  /** Must be called next, so that a forbidden target is found before another output has been uploaded. */
  checkUploads(uploads: Iterable<{ uploadUrl?: string | undefined }>, signal: AbortSignal): Promise<void>;
  download(
    source: RequestedSource,
    target: string,
    job: Pick<JobContext, 'signal' | 'advance'>,
  ): Promise<SourceIdentity>;
  /**
   * Opens this version of an HTTP source, of which only some ranges are to be fetched. Undefined for a file, and for a
   * source whose changes would not be noticed.
   */
  openPartial(
    source: RequestedSource,
    identity: SourceIdentity,
    target: string,
    job: Pick<JobContext, 'signal' | 'advance'>,
  ): Promise<PartialDownload | undefined>;
  /** Identifies a source without downloading it. */
  identify(source: RequestedSource, signal: AbortSignal): Promise<SourceIdentity>;
  /** Inspects a source beside the jobs. All inspections together use at most half of the free scratch space. */
  lookAt<Result>(
    source: RequestedSource,
    target: string,
    job: Pick<JobContext, 'signal' | 'advance'>,
    look: () => Promise<Result>,
  ): Promise<Result>;
  /** Must be called before a file is digested: it may be too large for its target. */
  checkSize(target: DeliveryTarget | undefined, size: number): void;
  /** Uploads all files; asks the caller for the targets of files without one. */
  uploadAll(files: readonly DeliverableFile[], kept: KeptInputs, job: JobContext): Promise<void>;
}

interface TransferDeps {
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  allowedAddresses: AllowedAddresses;
  maxSourceBytes: number;
  downloadConnections: number;
  urlsTimeoutSeconds: number;
  uploadLimits: UploadLimits;
  counters: TransferCounters;
}

export function createMediaTransfer(deps: TransferDeps): MediaTransfer {
  const { dispatcher, mediaRoot, allowedAddresses, maxSourceBytes, downloadConnections } = deps;
  const { urlsTimeoutSeconds, uploadLimits, counters } = deps;
  const sharedRoom = new SharedRoom();
  const optionsOf = (
    { sourceSha256, headers, maxBytes = maxSourceBytes, onRedirect }: RequestedSource,
    job: Pick<JobContext, 'signal' | 'advance'>,
    room: ScratchRoom,
  ): DownloadOptions => {
    const meter = currentMeter();
    let downloaded = 0;
    return {
      dispatcher,
      mediaRoot,
      maxBytes,
      sha256: sourceSha256,
      headers,
      room,
      connections: downloadConnections,
      signal: job.signal,
      onRedirect,
      onProgress(bytes, totalBytes) {
        const added = Math.max(0, bytes - downloaded);
        counters.downloadedBytes += added;
        if (meter !== undefined) meter.bytesIn += added;
        downloaded = bytes;
        job.advance('download', totalBytes === undefined ? undefined : bytes / totalBytes);
      },
    };
  };
  const fetchSource = async (
    source: RequestedSource,
    target: string,
    job: Pick<JobContext, 'signal' | 'advance'>,
    room: ScratchRoom,
  ): Promise<SourceIdentity> => {
    const { sourceUrl, sourceSha256 } = source;
    job.advance('download', 0);
    const read = await downloadSource(sourceUrl, target, optionsOf(source, job, room));
    const identity = atPlace(read, new URL(sourceUrl));
    return sourceSha256 === undefined ? identity : { ...identity, sha256: sourceSha256.toLowerCase() };
  };
  const checkUrls = async (urls: Iterable<string | undefined>, signal: AbortSignal): Promise<void> => {
    const hosts = new Set<string>();
    let checked = 0;
    for (const url of urls) {
      // Checks of 10,000 URLs in one go would hold up all other requests.
      if (checked % 100 === 0) await setImmediate();
      checked += 1;
      if (url === undefined) continue;
      const host = await checkUploadUrl(url, mediaRoot, allowedAddresses);
      if (host !== undefined) hosts.add(host);
    }
    await checkUploadHosts(hosts, allowedAddresses, signal);
  };
  return {
    keepInputs: (inputs) => KeptInputs.find(inputs, mediaRoot),
    checkUploads: (uploads, signal) => checkUrls(urlsIn(uploads), signal),
    download: (source, target, job) =>
      fetchSource(
        source,
        target,
        job,
        jobRoom(() => freeBytesIn(dirname(target))),
      ),
    async openPartial(source, identity, target, job) {
      const url = new URL(source.sourceUrl);
      const version = versionOfIdentity(identity);
      if (url.protocol === 'file:' || version === undefined) return undefined;
      const room = jobRoom(() => freeBytesIn(dirname(target)));
      return await PartialDownload.open(url, target, version, optionsOf(source, job, room));
    },
    async identify({ sourceUrl, headers }, signal) {
      const url = new URL(sourceUrl);
      const options = { dispatcher, mediaRoot, headers, signal };
      return atPlace(await namingFailures(url, signal, () => identifySource(url, options)), url);
    },
    async lookAt(source, target, job, look) {
      const room = sharedRoom.room(() => freeBytesIn(dirname(target)));
      try {
        await fetchSource(source, target, job, room);
        return await look();
      } finally {
        room.release();
      }
    },
    checkSize(target, size) {
      const problem = target === undefined ? undefined : sizeProblem(target, size);
      if (problem !== undefined) {
        throw new ServiceError('upload_refused', `An output cannot be stored: ${problem}.`, { details: { size } });
      }
    },
    uploadAll: async (files, kept, job) => {
      const checkTarget = (target: DeliveryTarget): Promise<void> => checkUrls(urlsOf(target), job.signal);
      await deliverFiles(files, job, {
        dispatcher,
        mediaRoot,
        limits: uploadLimits,
        urlsTimeoutSeconds,
        checkTarget,
        kept,
        counters,
      });
    },
  };
}

function* urlsIn(uploads: Iterable<{ uploadUrl?: string | undefined }>): Generator<string | undefined> {
  for (const { uploadUrl } of uploads) yield uploadUrl;
}
