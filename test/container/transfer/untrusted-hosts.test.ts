import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { speechWav } from '../../support/media.ts';
import { badCertificates, startTlsServer } from '../../support/tls-server.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const folder = useFolder();

const speech = await readFile(speechWav);
const good = await stopAfterAll(startTlsServer({}, (_, response) => void response.end(speech)));
const bad = await Promise.all(badCertificates.map(([, certificate]) => stopAfterAll(startTlsServer(certificate))));
const trusted = join(folder, 'trusted.pem');
await writeFile(trusted, [good, ...bad].map(({ certificate }) => certificate).join(''));
const container = await stopAfterAll(
  TestContainer.start({
    NODE_EXTRA_CA_CERTS: trusted,
    ALLOW_PRIVATE_ADDRESSES: 'localhost,127.0.0.1,::1',
  }),
);
await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));

const encode = async (sourceUrl: string, uploadUrl: string) =>
  await container.call('POST', '/encode', { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl }] });

test('fetches a source with a valid certificate', async () => {
  const answer = await encode(`${good.url}/speech.wav`, container.fileUrl('out/good.mp3'));
  expect(answer).toMatchObject({ status: 200, body: { outputs: [{ duration: expect.closeTo(15.2, 1) as number }] } });
});

test.each(badCertificates.map(([what, , sentence], index) => ({ what, sentence, index })))(
  'requests a source with a certificate $what once, and reports the reason',
  async ({ sentence, index }) => {
    const server = bad[index];
    const before = server?.connections() ?? 0;
    const answer = await encode(`${server?.url}/speech.wav?secret=1`, container.fileUrl('out/bad.mp3'));
    expect(answer).toMatchObject({ status: 422, body: { code: 'source_untrusted' } });
    expect(answer.body.error).toMatch(sentence);
    expect(answer.body.error).not.toContain('secret');
    expect(server?.connections()).toBe(before + 1);
  },
);

test.each(badCertificates.map(([what, , sentence], index) => ({ what, sentence, index })))(
  'requests a store with a certificate $what once, and reports the reason',
  async ({ sentence, index }) => {
    const server = bad[index];
    const before = server?.connections() ?? 0;
    const answer = await encode(container.fileUrl('speech.wav'), `${server?.url}/out.mp3?secret=1`);
    expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused' } });
    expect(answer.body.error).toMatch(sentence);
    expect(answer.body.error).not.toContain('secret');
    expect(server?.connections()).toBe(before + 1);
  },
);

test('rejects a certificate of an unknown authority', async () => {
  const unknown = await startTlsServer({});
  const answer = await encode(`${unknown.url}/speech.wav`, container.fileUrl('out/unknown.mp3'));
  expect(answer).toMatchObject({ status: 422, body: { code: 'source_untrusted' } });
  expect(answer.body.error).toMatch(/certificate is self-signed and not trusted/);
  await unknown.stop();
});
