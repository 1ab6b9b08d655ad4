// Waiting for several things at once, to the end of each.

/**
 * The results of all. If one fails, its error is thrown only after the others have ended: what still runs when a function answers goes on
 * in its next invocation, or never.
 */
export async function together<T extends readonly unknown[]>(running: readonly [...T]): Promise<Results<T>> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

type Results<T extends readonly unknown[]> = { -readonly [P in keyof T]: Awaited<T[P]> };
