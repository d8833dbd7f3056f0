/** Flag of Node for a process whose clock `clockSignal` steps by an hour. */
export const steppingClock = `--import=${new URL('../fixtures/stepping-clock.mjs', import.meta.url).href}`;

/** Without a listener, SIGWINCH does nothing. Temporal's SDK stops a worker at SIGUSR2. */
export const clockSignal = 'SIGWINCH';
