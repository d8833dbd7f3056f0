/** "mono", "stereo", "with 6 channels" */
export function formatChannels(channels: number): string {
  if (channels === 1) return 'mono';
  return channels === 2 ? 'stereo' : `with ${channels} channels`;
}
