/** Fills gaps in the time stamps (recordings of calls) with silence. Where there are none the samples pass unchanged. */
export const gapFilter = 'aresample=async=1';
