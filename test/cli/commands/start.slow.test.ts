import { expect } from 'vitest';
import { testInSandbox } from '../command-sandbox.ts';

testInSandbox(
  'a worker of `npm start` that is versioned takes the runs, and Ctrl-C ends all of it',
  async ({ sandbox }) => {
    sandbox.setVariables({ DEPLOYMENT_NAME: 'holdfast', BUILD_ID: '1.0' });
    const start = await sandbox.start();
    const encode = sandbox.npm('encode', '--', 'talk.wav', '--out', 'out');
    expect(await encode.exited, encode.output).toEqual({ code: 0, signal: null });
    await start.stop('SIGINT');
    expect(await sandbox.hasEnded()).toBe(true);
  },
);

testInSandbox('a command that starts a versioned worker for its one run has it taken', async ({ sandbox }) => {
  sandbox.setVariables({ DEPLOYMENT_NAME: 'holdfast', BUILD_ID: '1.0' });
  const encode = sandbox.npm('encode', '--', 'talk.wav', '--out', 'out');
  expect(await encode.exited, encode.output).toEqual({ code: 0, signal: null });
  // The next build on the same database: the former one is no longer there.
  sandbox.setVariables({ BUILD_ID: '2.0' });
  const again = sandbox.npm('encode', '--', 'talk.wav', '--out', 'again');
  expect(await again.exited, again.output).toEqual({ code: 0, signal: null });
});
