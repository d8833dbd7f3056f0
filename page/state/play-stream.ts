/** As servers name a playlist of HLS. */
export const hlsType = 'application/vnd.apple.mpegurl';

/**
 * Gives an element its film. Where the browser plays no HLS by itself, hls.js does, which is loaded for it. The answer takes the film away
 * again.
 */
export function playStream(
  player: HTMLVideoElement,
  { url, contentType }: { url: string; contentType: string },
  onBroken: () => void,
): () => void {
  if (contentType !== hlsType || player.canPlayType(hlsType) !== '') {
    player.src = url;
    return () => player.removeAttribute('src');
  }
  const left = new AbortController();
  playByScript(player, url, left.signal, onBroken).catch(onBroken);
  return () => left.abort();
}

async function playByScript(
  player: HTMLVideoElement,
  url: string,
  left: AbortSignal,
  onBroken: () => void,
): Promise<void> {
  const { default: Hls } = await import('hls.js/light');
  if (left.aborted) return;
  // Its worker would be a script of a blob, which the page's policy refuses.
  const stream = new Hls({ enableWorker: false });
  left.addEventListener('abort', () => stream.destroy());
  stream.on(Hls.Events.ERROR, (_event, { fatal }) => {
    if (fatal) onBroken();
  });
  stream.loadSource(new URL(url, location.href).href);
  stream.attachMedia(player);
}
