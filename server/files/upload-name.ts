import { randomBytes } from 'node:crypto';

const mostCharacters = 80;
const mostBytes = 200;

const uploadIdPattern = /^[A-Za-z0-9_-]{22}-[\p{L}\p{M}\p{N}\p{Pd}._ ()&',+!]{1,80}$/u;

export function isUploadId(id: string): boolean {
  return uploadIdPattern.test(id);
}

/** Random, so nobody can guess it. It ends with the file's name, because a run is named after its source. */
export function createUploadId(fileName: string): string {
  const name = fileName
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pd}._ ()&',+!]+/gu, '-')
    .replaceAll(/^[-. ]+|[. ]+$/g, '');
  return `${randomBytes(16).toString('base64url')}-${lastCharacters(name) || 'file'}`;
}

/** Keeps the extension. File names are limited to 255 bytes. */
function lastCharacters(text: string): string {
  let bytes = 0;
  const fitting = Array.from(text)
    .slice(-mostCharacters)
    .toReversed()
    .filter((character) => (bytes += Buffer.byteLength(character)) <= mostBytes);
  return fitting.toReversed().join('');
}

/** The part that no other upload has. Unlike the name of the file, it is the same in a URL. */
export function randomPartOfUpload(id: string): string {
  return id.slice(0, 22);
}

/** The name without its random part. */
export function fileNameOfUpload(id: string): string {
  return id.slice(23);
}

/** The name under which a browser saves the file. */
export function savedName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isUploadId(name) ? fileNameOfUpload(name) : name;
}
