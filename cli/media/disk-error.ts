const sentences: Record<string, string> = {
  EACCES: 'permission is denied',
  EDQUOT: 'its quota is used up',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'a name in it is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space is left on its disk',
  EROFS: 'its disk is read-only',
};

export function describeDiskError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return sentences[code] ?? message;
}
