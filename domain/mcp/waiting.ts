// Waiting for what AgentCore does by itself: it is asked again after pauses that grow, since most changes take a moment and some a minute.

/** AgentCore takes ten questions of a kind in a second for all tenants together. */
const firstMs = 100;
const longestMs = 2_000;

export type WaitDependencies = { clock: () => number; pause: (milliseconds: number) => Promise<void> };

/** @returns pauses, and says whether there is time left to look again */
export function waiting({ clock, pause }: WaitDependencies, until: number): () => Promise<boolean> {
  let next = firstMs;
  return async () => {
    if (clock() >= until) return false;
    await pause(next);
    next = Math.min(next * 2, longestMs);
    return true;
  };
}
