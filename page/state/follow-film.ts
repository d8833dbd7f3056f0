/** A larger gap is jumped over, and a smaller one made up by the pace. */
const mostGapSeconds = 0.1;
/** A browser keeps places in microseconds. */
const exactSeconds = 0.001;

/**
 * Keeps a film at the place of another that somebody plays: `aheadSeconds` further on. Where it cannot keep up, the other one
 * waits for it. The answer ends that.
 */
export function followFilm(film: HTMLVideoElement, follower: HTMLVideoElement, aheadSeconds: number): () => void {
  let frame = requestAnimationFrame(function keepUp() {
    if (follower.readyState >= HTMLMediaElement.HAVE_METADATA) align(film, follower, aheadSeconds);
    frame = requestAnimationFrame(keepUp);
  });
  return () => {
    cancelAnimationFrame(frame);
    film.playbackRate = 1;
  };
}

function align(film: HTMLVideoElement, follower: HTMLVideoElement, aheadSeconds: number): void {
  const place = Math.min(film.currentTime + aheadSeconds, follower.duration);
  const gap = place - follower.currentTime;
  const plays = !film.paused && !film.seeking && place < follower.duration;
  const isReady = !follower.seeking && follower.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
  film.playbackRate = plays && !isReady ? 0 : 1;
  if (!plays) follower.pause();
  else if (follower.paused) follower.play().catch(() => undefined);
  if (follower.seeking) return;
  if (Math.abs(gap) > (plays ? mostGapSeconds : exactSeconds)) follower.currentTime = place;
  else follower.playbackRate = 1 + gap;
}
