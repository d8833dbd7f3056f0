/** A page that plays HLS natively, and HLS and DASH with Shaka Player, which is served at `/shaka.js`. */
export const playerPage = `<video></video><script src="/shaka.js"></script><script>
  const video = document.querySelector('video');
  const until = (event) =>
    new Promise((resolve, reject) => {
      video.addEventListener(event, resolve, { once: true });
      video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
    });
  const doUntil = async (event, action) => {
    const happened = until(event);
    await action();
    await happened;
  };

  /** Plays natively: starts, seeks to the middle and to the last second, and waits for the end. */
  async function playThrough(url) {
    await doUntil('loadedmetadata', () => (video.src = url));
    return await playOn();
  }

  async function playOn() {
    video.muted = true;
    await doUntil('timeupdate', () => video.play());
    // Otherwise playback would continue until the position is read.
    video.pause();
    await doUntil('seeked', () => (video.currentTime = 3));
    const afterSeek = video.currentTime;
    video.currentTime = 5;
    await doUntil('ended', () => video.play());
    const { duration, currentTime, videoWidth } = video;
    return { duration, afterSeek, currentTime, videoWidth };
  }

  async function openByShaka(url) {
    const player = new shaka.Player();
    await player.attach(video);
    const errors = [];
    player.addEventListener('error', ({ detail }) => errors.push(detail.code));
    player.configure({ abr: { enabled: false } });
    await player.load(url);
    return { player, errors };
  }

  /** Plays with Shaka Player and switches from the smallest to the largest rendition. */
  async function playByShaka(url) {
    const { player, errors } = await openByShaka(url);
    const bySize = player.getVariantTracks().toSorted((one, other) => one.height - other.height);
    const [smallest, largest] = [bySize[0], bySize.at(-1)];
    player.selectVariantTrack(smallest, true);
    while (video.videoHeight !== smallest.height) await until('resize');
    video.muted = true;
    await doUntil('timeupdate', () => video.play());
    player.selectVariantTrack(largest, true);
    while (video.videoHeight !== largest.height) await until('resize');
    const played = await playOn();
    return { ...played, errors, heights: bySize.map(({ height }) => height) };
  }

  /**
   * Times in the film at which white pictures are shown and at which loud sounds are heard. The latter include the machine's
   * delay, which is the same for every film.
   */
  async function clapsOf(url) {
    if (url.endsWith('.mp4')) await doUntil('loadedmetadata', () => (video.src = url));
    else await openByShaka(url);
    const context = new AudioContext({ sampleRate: 48000 });
    const tap = context.createScriptProcessor(256, 1, 1);
    const [flashes, clicks, clock] = [[], [], []];
    let loudUntil = 0;
    tap.onaudioprocess = ({ inputBuffer, playbackTime }) => {
      const { contextTime, performanceTime } = context.getOutputTimestamp();
      for (const [index, sample] of inputBuffer.getChannelData(0).entries()) {
        if (Math.abs(sample) < 0.25) continue;
        const time = playbackTime + index / context.sampleRate;
        if (time >= loudUntil) clicks.push(performanceTime / 1000 + time - contextTime);
        loudUntil = time + 0.25;
      }
    };
    context.createMediaElementSource(video).connect(tap).connect(context.destination);
    const drawing = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const look = (_now, { mediaTime, expectedDisplayTime }) => {
      drawing.drawImage(video, 0, 0, 1, 1);
      if (drawing.getImageData(0, 0, 1, 1).data[0] > 225) flashes.push(mediaTime);
      clock.push(expectedDisplayTime / 1000 - mediaTime);
      video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    await context.resume();
    await doUntil('ended', () => video.play());
    const start = clock.toSorted((one, other) => one - other)[clock.length >> 1];
    return { flashes, clicks: clicks.map((time) => time - start) };
  }
</script>`;

export interface Played {
  duration: number;
  afterSeek: number;
  currentTime: number;
  videoWidth: number;
}

export interface PlayedByShaka extends Played {
  errors: number[];
  heights: number[];
}

export interface PlayedClaps {
  flashes: number[];
  clicks: number[];
}
