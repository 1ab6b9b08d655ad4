// What is left to do once an answer has been sent. The function may be frozen as soon as its invocation ends, so the
// invocation ends after it.

const tasks = new WeakMap<object, () => Promise<void>>();

/** The answer itself. `act` is called once after it, whether it reached its reader or not; it never rejects. */
export function afterwards<Answer extends object>(answer: Answer, act: () => Promise<void>): Answer {
  tasks.set(answer, act);
  return answer;
}

/** Middy's hook for the end of a request. */
export async function settle({ response }: { response?: unknown }): Promise<void> {
  if (typeof response === "object" && response !== null) await tasks.get(response)?.();
}
