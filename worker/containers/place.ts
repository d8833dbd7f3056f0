import type { ContainerPlace } from '../../contract/activity.ts';
import { isLoopbackHost } from '../../network/loopback.ts';

/** What stands for a loopback address where other machines must reach the container. */
export interface AdvertisedAddress {
  /** The whole URL; of the only container of this machine. */
  url: string | undefined;
  /** The container's port is added. */
  host: string | undefined;
  /** Where neither is set: whose own the loopback address is. */
  machine: string;
}

/** How workers on other machines find the container that this one reaches at `containerUrl`. */
export function containerPlace(containerUrl: string, advertised: AdvertisedAddress): ContainerPlace {
  if (!isLoopbackUrl(containerUrl)) return { containerUrl };
  if (advertised.url !== undefined) return { containerUrl: advertised.url };
  if (advertised.host === undefined) return { containerUrl, machine: advertised.machine };
  const url = new URL(containerUrl);
  url.hostname = advertised.host.includes(':') ? `[${advertised.host}]` : advertised.host;
  return { containerUrl: url.href.replace(/\/+$/, '') };
}

export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}
