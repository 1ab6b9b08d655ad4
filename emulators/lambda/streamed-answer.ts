// A function's streamed answer: chunks pass as the instance sends them, no faster than their reader takes them.
import { Readable } from "node:stream";
import type { FunctionError, Instance, Invocation } from "./instance.ts";
import type { Prelude } from "./worker.ts";

export type StreamedAnswer = { prelude: Prelude; body: Readable };

/** Callbacks for the progress of an invocation, and for the instance that has it. */
export type Listener = Omit<Invocation, "requestId" | "lineage"> & { onStart?: (instance: Instance) => void };

/** Resolves an answer with the status and headers; its body flows until the function ends it. */
export function streaming(resolve: (answer: StreamedAnswer) => void, reject: (error: FunctionError) => void): Listener {
  let instance: Instance | undefined;
  let begun = false;
  let ended = false;
  let waiting = 0;
  const acknowledge = (bytes: number) => instance?.send({ type: "acknowledge", bytes });
  const release = () => {
    if (waiting > 0) acknowledge(waiting);
    waiting = 0;
  };
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read: release,
    // Chunks that nobody reads any more must not hold the function back.
    destroy: (error, done) => {
      release();
      done(error);
    },
  });
  const begin = (prelude: Prelude) => {
    begun = true;
    resolve({ prelude, body });
  };
  const end = () => {
    if (!begun) begin({});
    if (!ended) body.push(null);
    ended = true;
  };
  return {
    onStart: (started) => {
      instance = started;
    },
    onPrelude: begin,
    onChunks: (chunks) => {
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      let wanted = true;
      if (!body.destroyed) for (const chunk of chunks) wanted = body.push(chunk);
      if (wanted || body.destroyed) acknowledge(bytes);
      else waiting += bytes;
    },
    onEnd: end,
    onResult: (streamed, payload) => {
      if (streamed) end();
      else resolve(bufferedAnswer(payload));
    },
    onFailure: (error) => {
      if (!begun) reject(error);
      else body.destroy(error);
    },
  };
}

/** The answer of a handler that is not wrapped for streaming. It comes as a whole, even behind a streaming URL. */
function bufferedAnswer(payload: unknown): StreamedAnswer {
  return {
    prelude: { headers: { "content-type": "application/json" } },
    body: Readable.from([JSON.stringify(payload)]),
  };
}
