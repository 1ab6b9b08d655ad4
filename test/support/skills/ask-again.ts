// A client that asks again where it is told to: many who write one row at once may outrun each other for longer than one call tries,
// the more so on a slow machine, and are then answered 503 with `retry-after`.

/** The first answer of a call that is not 503. */
export async function askAgain<Reply extends { status: number }>(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await call();
    if (reply.status !== 503) return reply;
  }
}
