import { laterTexts } from '../later-texts.ts';
import { formatBytes, formatSpan } from './format.ts';

export interface SendingUpload {
  bytes: number;
  sent: number;
  bytesPerSecond: number;
  /** Time of the last progress. */
  movedAtMs: number;
}

/** Browsers report progress several times a second, even of slow uploads. */
const stalledMs = 5_000;

export function percentOf({ bytes, sent }: Pick<SendingUpload, 'bytes' | 'sent'>): number {
  return bytes === 0 ? 100 : Math.floor((100 * sent) / bytes);
}

/** True while no data gets through. After the last byte, only the server's answer is missing. */
export function isStalled({ bytes, sent, movedAtMs }: SendingUpload, nowMs: number): boolean {
  return sent < bytes && nowMs - movedAtMs >= stalledMs;
}

export function sendingWords(upload: SendingUpload, nowMs: number): string {
  const { bytes, sent, bytesPerSecond } = upload;
  const words = [laterTexts.upload.sending(percentOf(upload)), formatBytes(bytes)];
  if (isStalled(upload, nowMs)) words.push(laterTexts.upload.stalled);
  else if (bytesPerSecond > 0 && sent < bytes) {
    words.push(laterTexts.upload.speed(formatBytes(bytesPerSecond)));
    words.push(laterTexts.upload.left(formatSpan(Math.ceil((bytes - sent) / bytesPerSecond))));
  }
  return words.join(' · ');
}
