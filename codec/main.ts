import { z } from 'zod';
import { isLoopbackHost } from '../network/loopback.ts';
import { PortSetting, TokenSetting } from '../process/setting-types.ts';
import { parseSettings, SettingError } from '../process/settings.ts';
import { createCodecServer } from './codec-server.ts';
import { EncryptionCodec } from './encryption-codec.ts';
import { readPayloadKeys } from './payload-keys.ts';

const Environment = z.object({
  PAYLOAD_KEY: z.string().optional(),
  PAYLOAD_KEY_FILE: z.string().optional(),
  CODEC_SERVER_HOST: z.string().default('127.0.0.1'),
  CODEC_SERVER_PORT: PortSetting.default(8234),
  CODEC_SERVER_TOKEN: TokenSetting.optional(),
  CODEC_ALLOWED_ORIGINS: z.string().default('http://127.0.0.1:8233,http://localhost:8233'),
});

try {
  const settings = parseSettings(Environment, process.env);
  const { CODEC_SERVER_HOST: host, CODEC_SERVER_PORT: port, CODEC_SERVER_TOKEN: token } = settings;
  const keys = readPayloadKeys({ key: settings.PAYLOAD_KEY, file: settings.PAYLOAD_KEY_FILE });
  if (keys === undefined) throw new SettingError('Set PAYLOAD_KEY or PAYLOAD_KEY_FILE to the keys of the workers.');
  if (!isLoopbackHost(host) && token === undefined) {
    throw new SettingError(
      `CODEC_SERVER_HOST ${host} lets other machines decode all payloads: set CODEC_SERVER_TOKEN too.`,
    );
  }
  const allowedOrigins = settings.CODEC_ALLOWED_ORIGINS.split(',').map((origin) => origin.trim());
  const server = createCodecServer({ codec: new EncryptionCodec(keys), allowedOrigins, token }).listen(port, host);
  server.on('listening', () => {
    console.log(
      `The codec server listens at http://${host}:${port}. Tell the Web UI (its data encoder settings) or the CLI: temporal --codec-endpoint http://${host}:${port}`,
    );
  });
  server.on('error', (error) => {
    console.error(`The codec server cannot listen at ${host}:${port}: ${error.message}.`);
    process.exit(1);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.close(() => process.exit(0)));
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exit(1);
}
