import { readFile, stat } from 'node:fs/promises';
import { errnoOf } from '../contract/unknown-values.ts';
import { CredentialsUnavailable, StorageError } from './store-error.ts';

/**
 * Returns a function that parses the file, again after each change: credentials are renewed without a restart. It throws a
 * StorageError that names the setting. A file that was good once may be about to be replaced, so a retry may help.
 */
export function freshFile<Content>(
  setting: string,
  path: string,
  parse: (text: string) => Content,
): () => Promise<Content> {
  let known: { version: string; content: Content } | undefined;
  return async () => {
    try {
      const facts = await stat(path, { bigint: true });
      // A pipe or a device would hold up the run without a message.
      if (!facts.isFile()) throw new StorageError(`the file of ${setting} is not a regular file`, false);
      const { mtimeNs, size, ino } = facts;
      const version = `${mtimeNs}:${size}:${ino}`;
      if (known?.version !== version) known = { version, content: parse(await readFile(path, 'utf8')) };
      return known.content;
    } catch (error) {
      const problem =
        error instanceof StorageError
          ? error
          : new StorageError(`the file of ${setting} cannot be read (${errnoOf(error)})`, false);
      throw known === undefined ? problem : new CredentialsUnavailable(problem);
    }
  };
}
