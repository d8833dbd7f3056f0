/** The voice in a stretch of speech, at most 1.6 s long. */
export interface VoiceWindow {
  /** seconds */
  start: number;
  end: number;
  /** Vectors of one voice point in similar directions. */
  vector: Float32Array;
}

/**
 * Mean product of the vectors of two clusters above which they are one voice. On recordings of ten people, this mean is
 * 0.70 to 0.80 for windows of one person, and 0.39 to 0.56 for two people.
 */
const sameVoice = 0.61;
/** Clusters with a higher mean are merged whatever the given number of voices is. */
const surelySameVoice = 0.75;
/** Seconds of the windows that found a voice. Noises and coughs have less. */
const leastSeconds = 3;
/** Seconds. The vectors of shorter windows vary too much. */
const leastWindowSeconds = 1;
/** Windows that are compared with each other, from the whole recording; time and memory grow with the square. */
const maxCompared = 1_500;

interface Cluster {
  /** Row and column in the table of similarities. */
  place: number;
  sum: Float32Array;
  /** Number of windows. */
  size: number;
  /** seconds */
  seconds: number;
  nearest: Cluster | undefined;
  /** Similarity to `nearest`. */
  similarity: number;
}

/** Returns the number of each window's voice (pure). `count` is the number of voices; undefined finds it. */
export function clusterVoices(windows: readonly VoiceWindow[], count: number | undefined): number[] {
  const long = windows.filter((window) => lengthOf(window) >= leastWindowSeconds);
  const step = Math.max(1, long.length / maxCompared);
  const compared = Array.from({ length: Math.ceil(long.length / step) }, (_, index) => long[Math.floor(index * step)]);
  const clusters = merge(
    compared.flatMap((window, place) => (window === undefined ? [] : [newCluster(window, place)])),
    count,
  );
  const voices = clusters.filter(isVoice);
  const used = voices.length > 0 ? voices : clusters.toSorted((one, other) => other.seconds - one.seconds).slice(0, 1);
  return windows.map(({ vector }) => {
    const similarities = used.map(({ sum, size }) => dot(vector, sum) / size);
    return Math.max(0, similarities.indexOf(Math.max(...similarities)));
  });
}

/** Similarities of all pairs of clusters. Merges that multiply vectors instead block a worker for seconds. */
class Similarities {
  readonly #width: number;
  readonly #values: Float32Array;

  constructor(clusters: readonly Cluster[]) {
    this.#width = clusters.length;
    this.#values = new Float32Array(this.#width ** 2);
    for (const [index, one] of clusters.entries()) {
      for (const other of clusters.slice(0, index)) this.#set(one, other, dot(one.sum, other.sum));
    }
  }

  /** Mean product of the vectors of both. */
  of(one: Cluster, other: Cluster): number {
    return this.#values[one.place * this.#width + other.place] ?? 0;
  }

  /** Gives `one` the similarities of the windows of both; the sizes are those before the merge. */
  merge(one: Cluster, other: Cluster, clusters: readonly Cluster[]): void {
    for (const cluster of clusters) {
      const sum = one.size * this.of(cluster, one) + other.size * this.of(cluster, other);
      this.#set(cluster, one, sum / (one.size + other.size));
    }
  }

  #set(one: Cluster, other: Cluster, value: number): void {
    this.#values[one.place * this.#width + other.place] = value;
    this.#values[other.place * this.#width + one.place] = value;
  }
}

/** Merges the two nearest clusters again and again. */
function merge(clusters: Cluster[], count: number | undefined): Cluster[] {
  const similarities = new Similarities(clusters);
  for (const cluster of clusters) findNearest(cluster, clusters, similarities);
  while (clusters.length > 1) {
    let one = clusters[0];
    for (const cluster of clusters) if (one === undefined || cluster.similarity > one.similarity) one = cluster;
    const other = one?.nearest;
    if (one === undefined || other === undefined) break;
    if (!areMerged(one, other, clusters, count)) break;
    similarities.merge(one, other, clusters);
    for (const [index, value] of other.sum.entries()) one.sum[index] = (one.sum[index] ?? 0) + value;
    one.size += other.size;
    one.seconds += other.seconds;
    clusters = clusters.filter((cluster) => cluster !== other);
    findNearest(one, clusters, similarities);
    for (const cluster of clusters) {
      if (cluster === one) continue;
      const similarity = similarities.of(cluster, one);
      if (cluster.nearest === one || cluster.nearest === other) findNearest(cluster, clusters, similarities);
      else if (similarity > cluster.similarity) [cluster.nearest, cluster.similarity] = [one, similarity];
    }
  }
  return clusters;
}

/** Whether the two nearest clusters are one voice. */
function areMerged(one: Cluster, other: Cluster, clusters: readonly Cluster[], count: number | undefined): boolean {
  if (count === undefined) return one.similarity >= sameVoice;
  if (one.similarity >= surelySameVoice) return true;
  const voices = clusters.filter(isVoice).length;
  // While voices are missing, short windows may still become one, and two voices stay apart.
  return voices > count || (voices < count && one.similarity >= sameVoice && !(isVoice(one) && isVoice(other)));
}

function findNearest(cluster: Cluster, clusters: readonly Cluster[], similarities: Similarities): void {
  cluster.nearest = undefined;
  cluster.similarity = -Infinity;
  for (const other of clusters) {
    if (other === cluster) continue;
    const similarity = similarities.of(cluster, other);
    if (similarity > cluster.similarity) [cluster.nearest, cluster.similarity] = [other, similarity];
  }
}

function isVoice({ seconds }: Cluster): boolean {
  return seconds >= leastSeconds;
}

function newCluster(window: VoiceWindow, place: number): Cluster {
  const seconds = lengthOf(window);
  return { place, sum: window.vector.slice(), size: 1, seconds, nearest: undefined, similarity: -Infinity };
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

function lengthOf({ start, end }: VoiceWindow): number {
  return end - start;
}
