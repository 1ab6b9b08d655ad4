// Creating at most once at Stripe: first looked for by a list call, then made under a key that is the same for every attempt.
import { call, isReplay, isReplayedFailure } from "./client.ts";

/** Keys that are left behind, because they hold a 500 or what is gone since; this many in a day are an outage. */
const maxKeys = 5;

/**
 * What `find` finds, or what `create` makes. Lists show at once what was made; search lags, and keys are forgotten after a day.
 * @param key the same for every attempt to make this one thing
 */
export async function createOnce<T extends object>(
  operation: string,
  key: string,
  find: () => Promise<T | undefined>,
  create: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await call(operation, find);
    if (found !== undefined) return found;
    try {
      const made = await create(`${key}-${attempt}`);
      // An earlier attempt's answer; what it made may have been deleted since, and then the next key may try.
      if (attempt >= maxKeys || !isReplay(made) || (await find()) !== undefined) return made;
    } catch (error) {
      // An earlier attempt's end: the list has just said that it made nothing.
      if (attempt >= maxKeys || !isReplayedFailure(error)) return call(operation, () => Promise.reject(error));
    }
  }
}
