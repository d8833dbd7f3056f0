import { z } from 'zod';

/** A `z.record` that refuses the name `__proto__`; zod drops the entry and reports nothing. */
export function recordOf<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(key: Key, value: Value) {
  return z.preprocess(
    (given, context) => {
      if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__')) {
        context.addIssue({ code: 'custom', message: 'is a name that may not be used', path: ['__proto__'] });
      }
      return given;
    },
    z.record(key, value),
  );
}
