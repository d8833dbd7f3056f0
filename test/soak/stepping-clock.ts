/** Flag of Node for a process whose clock `clockSignal` steps by an hour. */
export const steppingClock = `--import=${new URL('../fixtures/stepping-clock.mjs', import.meta.url).href}`;

/**
 * Without a listener, SIGURG does nothing. Temporal's SDK stops a worker at SIGUSR2, and a terminal sends SIGWINCH to
 * all processes when its window changes its size.
 */
export const clockSignal = 'SIGURG';
