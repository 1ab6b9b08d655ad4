// Whether what the model host got of a turn is the beginning of what it gets of the next: the newest models refuse thinking whose prefix was changed.
type Body = Record<string, unknown>;

/** Tools, system and each turn, as thinking is bound to them. */
function partsOf({ tools, system, messages }: Body): string[] {
  const turns = Array.isArray(messages) ? messages : [];
  return [tools ?? null, system ?? null, ...turns].map((part) =>
    JSON.stringify(part, (name, value) => (name === "cache_control" ? undefined : value)),
  );
}

const begins = (whole: string[], start: string[]) => start.every((part, place) => part === whole[place]);

/**
 * A client that changes what was said before has no prefix to keep.
 * @param bodies of the client, in their order
 * @param calls that the model host took, in their order: one for each body
 */
export function keepsPrefix(bodies: readonly Body[], calls: readonly { body: unknown; error?: string }[]): boolean {
  const taken = calls.filter(({ error }) => error === undefined).map(({ body }) => partsOf(body as Body));
  if (taken.length !== bodies.length) return true;
  return bodies.every((body, place) => {
    const next = bodies[place + 1];
    if (!next || !begins(partsOf(next), partsOf(body))) return true;
    return begins(taken[place + 1] ?? [], taken[place] ?? []);
  });
}
