export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
