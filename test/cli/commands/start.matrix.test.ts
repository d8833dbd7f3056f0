import { expect } from 'vitest';
import { testInSandbox } from '../command-sandbox.ts';

testInSandbox(
  'the versioned worker of `npm start` takes the runs, and Ctrl-C stops everything',
  async ({ sandbox }) => {
    sandbox.setVariables({ DEPLOYMENT_NAME: 'holdfast', BUILD_ID: '1.0' });
    const start = await sandbox.start();
    const encode = sandbox.npm('encode', '--', 'talk.wav', '--out', 'out');
    expect(await encode.exited, encode.output).toEqual({ code: 0, signal: null });
    await start.stop('SIGINT');
    expect(await sandbox.hasEnded()).toBe(true);
  },
);

testInSandbox('the versioned worker that a command starts takes its run', async ({ sandbox }) => {
  sandbox.setVariables({ DEPLOYMENT_NAME: 'holdfast', BUILD_ID: '1.0' });
  const encode = sandbox.npm('encode', '--', 'talk.wav', '--out', 'out');
  expect(await encode.exited, encode.output).toEqual({ code: 0, signal: null });
  // The next build uses the same database; the former build is gone.
  sandbox.setVariables({ BUILD_ID: '2.0' });
  const again = sandbox.npm('encode', '--', 'talk.wav', '--out', 'again');
  expect(await again.exited, again.output).toEqual({ code: 0, signal: null });
});
