import { containers } from '../../contract/formats.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import type { ProbedStream } from '../ffmpeg/probed.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { FrameFile } from '../formats/mp3/frame-file.ts';
import type { OutputPlan } from '../plan/planned-output.ts';

/** Streams of a finished file, as ffprobe lists them, with their numbers of packets. */
export async function readStreams(
  path: string,
  { container }: Pick<OutputPlan, 'container'>,
  signal: AbortSignal,
): Promise<ProbedStream[]> {
  const sound = container === 'mp3' ? await readMp3(path) : undefined;
  if (sound !== undefined) return [sound];
  // The demuxer is given: some files of a few packets are too short to be recognised.
  const { demuxer } = containers[container];
  const { streams } = await probeFile(path, { signal, countPackets: true, demuxer });
  // ffprobe lists a tagged picture, and the chapters of an MP4, as streams.
  return streams.filter(({ disposition, codec_name }) => disposition.attached_pic === 0 && codec_name !== 'bin_data');
}

/**
 * Reads all frame headers of an mp3. A process would take longer to start than this takes for an hour of sound.
 * Undefined if the file is not what ffmpeg and LAME write; ffprobe then judges it.
 */
async function readMp3(path: string): Promise<ProbedStream | undefined> {
  try {
    const file = await FrameFile.open(path);
    await file.close();
    const { isMono, sampleRate } = file.header;
    return {
      ...{ index: 0, codec_type: 'audio', codec_name: 'mp3', channels: isMono ? 1 : 2, sample_rate: sampleRate },
      ...{ nb_read_packets: file.frameCount, side_data_list: [], tags: {} },
      disposition: { attached_pic: 0, timed_thumbnails: 0, default: 0, forced: 0, hearing_impaired: 0 },
    };
  } catch (error) {
    if (error instanceof MalformedFile) return undefined;
    throw error;
  }
}
