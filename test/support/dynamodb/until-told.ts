/**
 * Repeats a call that was refused with "try again", as its callers do. Of many writers of one row a slow machine may let one meet
 * others at each of its attempts.
 */
export async function untilTold<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if ((error as { code?: unknown }).code !== "store_unavailable") throw error;
    }
  }
}
