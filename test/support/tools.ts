const tools = {
  TEMPORAL_CLI_PATH: 'the Temporal CLI',
  TEMPORAL_TEST_SERVER_PATH: "Temporal's time-skipping test server",
  RCLONE_PATH: 'rclone, the S3 server of the tests',
  CHROMIUM_PATH: 'Chromium, which shows the Web UI to the tests',
  TOXIPROXY_PATH: 'toxiproxy, which breaks connections for the tests',
} as const;

/** Where `scripts/setup.mjs --test-tools` found or built a program. */
export function toolPath(variable: keyof typeof tools): string {
  const path = process.env[variable];
  if (path === undefined || path === '') {
    throw new Error(
      `${variable} is not set, so ${tools[variable]} cannot be found. Run the tests by \`npm test [file]\`, which sets it.`,
    );
  }
  return path;
}
