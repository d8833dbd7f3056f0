import { randomBytes } from 'node:crypto';

/** A workflow id that a person recognises in the Web UI: `encode-talk-3f9a1c`. */
export function createRunName(workflowType: string, sourceName: string): string {
  const slug = sourceName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40);
  return [workflowType, ...(slug === '' ? [] : [slug]), randomBytes(3).toString('hex')].join('-');
}
