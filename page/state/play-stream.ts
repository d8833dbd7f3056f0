const hlsType = 'application/vnd.apple.mpegurl';

/**
 * Plays a file or an HLS package. Loads hls.js if the browser does not play HLS itself. Returns the function that stops playback.
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
  // hls.js starts its worker from a blob, which the content security policy forbids.
  const stream = new Hls({ enableWorker: false });
  left.addEventListener('abort', () => stream.destroy());
  stream.on(Hls.Events.ERROR, (_event, { fatal }) => {
    if (fatal) onBroken();
  });
  stream.loadSource(new URL(url, location.href).href);
  stream.attachMedia(player);
}
