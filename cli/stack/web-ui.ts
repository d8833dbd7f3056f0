import type { Settings } from '../settings.ts';
import { isLoopbackHost } from '../../network/loopback.ts';
import { isOpen, parseAddress } from './ports.ts';

/**
 * Web UI of a Temporal server started elsewhere. A dev server's port is 1,000 above its own; Temporal Cloud has one
 * URL.
 */
export async function findWebUi({ temporal }: Settings): Promise<string | undefined> {
  if (temporal.uiUrl !== undefined) return temporal.uiUrl;
  const place = parseAddress(temporal.address, 7233);
  if (/\.(?:tmprl\.cloud|api\.temporal\.io)$/.test(place.host)) return 'https://cloud.temporal.io';
  const ui = { host: place.host, port: place.port + 1000 };
  return isLoopbackHost(place.host) && (await isOpen(ui)) ? `http://127.0.0.1:${ui.port}` : undefined;
}
