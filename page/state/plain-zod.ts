import { config } from 'zod';

// zod compiles schemas by default, which the content security policy forbids. This must run before the first schema is made.
config({ jitless: true });
