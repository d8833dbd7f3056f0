import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sourceNameOf, stemOf } from '../../client/rerun.ts';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import type { Caller } from '../access/caller.ts';
import { isNotFound, ProblemError } from '../problem-error.ts';
import type { MediaFolders } from './media-folders.ts';
import { toSourceName } from '../../contract/workflow/source-name.ts';
import { fileNameOfUpload } from './upload-name.ts';
import type { BucketUploads } from '../buckets/bucket-uploads.ts';
import { requireOwnObject } from './owner-prefixes.ts';
import type { Uploads } from './uploads.ts';

/** Matches `sourceUrl`, `uploadUrl`, `uploadUrlPrefix`, and the `url` of a link. */
const isUrlField = (name: string): boolean => /^url$|Url(?:Prefix)?$/.test(name);

/** Fields whose names are the caller's own: a tag may be called `originalUrl`, and a header `x-amz-meta-sourceUrl`. */
const holdsOwnNames = (name: string): boolean => name === 'metadata' || name === 'headers';

const resultName = /^(?!\.{1,2}\/?$)[^/\\\p{Cc}]{1,200}\/?$/u;

/** A deeper input would exhaust the stack; no valid input is as deep. */
const mostLevels = 100;

type Replace = (text: string, field: string) => string;

interface ResolveContext {
  caller: Caller;
  /** Name of the folder that gets the run's results. */
  folder: string;
  /** Collects the errors of uploads that do not exist for the caller. Without it, `resolve` throws such an error. */
  missing?: ProblemError[];
}

/**
 * Names of files in the server's own folders: `upload:<id>` for an upload, and `result:<name>` for an output of a run. Callers never see
 * the paths on disk.
 */
export class FileNames {
  readonly #folders: MediaFolders | undefined;
  readonly #uploads: Uploads | undefined;
  readonly #bucketUploads: BucketUploads | undefined;
  readonly #ownerPrefixes: readonly string[];

  constructor(
    files: {
      folders?: MediaFolders;
      uploads?: Uploads;
      bucketUploads?: BucketUploads | undefined;
      /** S3_OWNER_PREFIXES */
      ownerPrefixes?: readonly string[];
    } = {},
  ) {
    this.#folders = files.folders;
    this.#uploads = files.uploads;
    this.#bucketUploads = files.bucketUploads;
    this.#ownerPrefixes = files.ownerPrefixes ?? [];
  }

  /** Replaces the names in an input by URLs. */
  async resolve(input: Record<string, unknown>, context: ResolveContext): Promise<Record<string, unknown>> {
    requireFewLevels(input, mostLevels);
    const named = new Map<string, { url: string; field: string }>();
    mapTexts(input, (url, field) => {
      if (isUrlField(field)) named.set(`${field} ${url}`, { url, field });
      return url;
    });
    const urls = new Map<string, string>();
    for (const [key, { url, field }] of named) urls.set(key, await this.#resolve(url, field, context));
    return mapTexts(input, (text, field) => urls.get(`${field} ${text}`) ?? text) as Record<string, unknown>;
  }

  /** Throws if an input, whose names are resolved, names an object or a file that the caller may not use. */
  async requireOwnObjects(input: unknown, caller: Caller): Promise<void> {
    if (caller.owner === undefined) return;
    const named: [string, string][] = [];
    mapTexts(input, (url, field) => {
      if (isUrlField(field)) named.push([field, url]);
      return url;
    });
    for (const [field, url] of named) {
      const shown = this.showUrl(url);
      if (shown.startsWith('upload:')) await this.#uploadPath(shown.slice('upload:'.length), caller);
      else if (!shown.startsWith('result:')) this.#requireOwnObject(field, url, caller);
    }
  }

  /** Keeps the uploads that an input names. */
  async markUsed(input: unknown): Promise<void> {
    const ids = new Set<string>();
    mapTexts(input, (text) => {
      const shown = this.showUrl(text);
      if (shown.startsWith('upload:')) ids.add(shown.slice('upload:'.length));
      return text;
    });
    for (const id of ids) await this.#uploads?.markUsed(id);
  }

  /** Replaces the URLs in a value by names. `folder`: the only folder with results that have names; by default all. */
  show<Value>(value: Value, folder?: string): Value {
    return mapTexts(value, (text) => this.showUrl(text, folder)) as Value;
  }

  showUrl(url: string, folder = ''): string {
    const path = this.#folders === undefined ? undefined : pathOfFileUrl(url);
    if (path === undefined || this.#folders === undefined) return url;
    const { uploads, results } = this.#folders;
    if (isInside(uploads, path)) return `upload:${path.slice(uploads.length + 1)}`;
    return isInside(join(results, folder), path)
      ? `result:${path.slice(results.length + 1).replace(/^[^/]*\//, '')}`
      : url;
  }

  /** The part of a run's name that comes from its source. */
  sourceName(url: string): string {
    const uploaded = this.uploadedName(url);
    return uploaded === undefined ? sourceNameOf(url) : stemOf(uploaded);
  }

  /** Name of the file that was uploaded; undefined for any other source. */
  uploadedName(url: string): string | undefined {
    const shown = this.showUrl(url);
    const id =
      this.#bucketUploads?.nameOf(url) ?? (shown.startsWith('upload:') ? shown.slice('upload:'.length) : undefined);
    return id === undefined ? undefined : toSourceName(fileNameOfUpload(id));
  }

  async #resolve(url: string, field: string, { caller, folder, missing }: ResolveContext): Promise<string> {
    if (/^upload:/i.test(url)) {
      if (field.startsWith('upload')) throw replacesUpload(field);
      return this.#fileUrl(await this.#uploadPath(url.slice('upload:'.length), caller, missing));
    }
    if (/^result:/i.test(url)) return this.#resultUrl(url.slice('result:'.length), folder, field);
    this.#requireOwnObject(field, url, caller);
    return url;
  }

  #requireOwnObject(field: string, url: string, caller: Caller): void {
    // A file: URL could name another owner's file, because all files are below MEDIA_ROOT.
    if (caller.owner !== undefined && URL.canParse(url) && new URL(url).protocol === 'file:') {
      throw new ProblemError(
        'forbidden',
        `${field} is a file: URL, which a token with an owner may not use. Upload the file and refer to it as upload:<id>.`,
      );
    }
    requireOwnObject(field, url, caller, { ownerPrefixes: this.#ownerPrefixes, uploads: this.#bucketUploads });
  }

  async #uploadPath(id: string, caller: Caller, missing?: ProblemError[]): Promise<string> {
    if (this.#uploads === undefined) throw uploadsUnavailable();
    try {
      return await this.#uploads.finished(id, caller);
    } catch (error) {
      if (missing === undefined || !isNotFound(error)) throw error;
      missing.push(error);
      return this.#uploads.pathOf(id);
    }
  }

  #resultUrl(name: string, folder: string, field: string): string {
    if (this.#folders === undefined) throw uploadsUnavailable();
    const isFolder = name.endsWith('/');
    if (!resultName.test(name) || !name.isWellFormed() || (isFolder && field === 'uploadUrl')) {
      throw new ProblemError(
        'invalid_request',
        `${field} must be result: with the name of a file, such as result:talk.mp3.`,
      );
    }
    return this.#fileUrl(join(this.#folders.results, folder, name));
  }

  #fileUrl(path: string): string {
    return pathToFileURL(path).href;
  }
}

export function uploadsUnavailable(): ProblemError {
  return new ProblemError(
    'uploads_unavailable',
    'This server stores no files: MEDIA_ROOT is not set. Use URLs that the containers can reach.',
  );
}

function replacesUpload(field: string): ProblemError {
  return new ProblemError(
    'invalid_request',
    `${field} is the place of an output, and upload: names a file that runs read. Use result: with a name.`,
  );
}

function requireFewLevels(value: unknown, left: number): void {
  if (left === 0) {
    throw new ProblemError('invalid_request', `The input is nested more than ${mostLevels} levels deep.`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) requireFewLevels(item, left - 1);
}

function mapTexts(value: unknown, replace: Replace, field = ''): unknown {
  if (typeof value === 'string') return replace(value, field);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  if (!isRecord(value)) return value;
  const fieldOf = holdsOwnNames(field) ? () => '' : (name: string) => name;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, replace, fieldOf(name))]),
  );
}
