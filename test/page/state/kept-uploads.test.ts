import { expect, onTestFinished, test, vi } from 'vitest';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { findKept, unfinishedUploads } = await import('../../../page/state/kept-uploads.ts');

const hourMs = 3_600_000;

test('keeps an upload that the server does not show to another owner for a day', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const entry = { size: 4, metadata: { filename: 'Talk.wav' }, uploadUrl: '/api/uploads/AA-Talk.wav' };
  localStorage.setItem('tus::talk', JSON.stringify(entry));
  /** Whether the entry is left after a visit of this status some hours later. */
  const visit = async (status: number, hours: number): Promise<boolean> => {
    vi.setSystemTime(Date.now() + hours * hourMs);
    vi.stubGlobal('fetch', async () => new Response(null, { status, headers: { 'Upload-Offset': '1' } }));
    await findKept();
    return localStorage.getItem('tus::talk') !== null;
  };
  expect(await visit(404, 0)).toBe(true);
  // Its owner is back.
  expect([await visit(200, 20), unfinishedUploads.value.length]).toEqual([true, 1]);
  expect(await visit(404, 20)).toBe(true);
  expect(await visit(404, 20)).toBe(true);
  expect(await visit(404, 5)).toBe(false);
});
