/** Larger gaps are closed by seeking, smaller ones by the playback rate. */
const mostGapSeconds = 0.1;
/** Tolerance for browsers that round positions. */
const exactSeconds = 0.001;

/**
 * Keeps `follower` in step with `film`, `aheadSeconds` ahead of it. If the follower cannot keep up, the film waits. Returns the function
 * that stops following.
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
