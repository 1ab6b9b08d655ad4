// What the Lambda runtime offers a function that streams its answer: `awslambda`, over a stream in memory.
import { Writable } from "node:stream";
import type { Context } from "aws-lambda";

export type StreamingHandler = (event: unknown, stream: ResponseStream, context: Context) => Promise<void>;

/** The stream on which the Lambda runtime lets a function answer. */
export class ResponseStream extends Writable {
  prelude: { statusCode: number; headers: Record<string, string> } | undefined;
  readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.chunks.push(Buffer.from(chunk));
    done();
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from: (stream: ResponseStream, prelude: ResponseStream["prelude"]) => Object.assign(stream, { prelude }),
    },
  },
});
