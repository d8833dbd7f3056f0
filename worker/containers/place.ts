import type { ContainerPlace } from '../../contract/activity.ts';
import { isLoopbackHost } from '../../network/loopback.ts';

/** Replacement for a loopback address, so that other machines can reach the container. */
interface AdvertisedAddress {
  /** Whole URL, for the only container of this machine. */
  url: string | undefined;
  /** Host to which the container's port is added. */
  host: string | undefined;
  /** Machine to which the loopback address belongs if neither is set. */
  machine: string;
}

/** Place under which workers on other machines find the container at `containerUrl`. */
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
