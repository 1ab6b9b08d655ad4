import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { AnswerStream } from "../../../handlers/proxy/answer-stream.ts";

function open() {
  const caller = new PassThrough();
  return { caller, answer: new AnswerStream(caller) };
}

test("an answer's stream passes on all writes, and ends once", async () => {
  const { caller, answer } = open();
  answer.write("0;");
  answer.write(Buffer.from("1;"));
  expect(answer.isClosed).toBe(false);
  answer.end();
  answer.end();
  expect(await text(caller)).toBe("0;1;");
});

test("an answer's stream that was ended with last bytes drops later writes", async () => {
  const { caller, answer } = open();
  answer.write("0;");
  answer.end(Buffer.from("the end"));
  answer.write("lost");
  answer.end(Buffer.from("again"));
  expect(answer.isClosed).toBe(true);
  expect(await text(caller)).toBe("0;the end");
});

describe("a caller", () => {
  test("an answer's stream is closed when the caller leaves, and no write to it fails", () => {
    const { caller, answer } = open();
    caller.destroy();
    expect(answer.isClosed).toBe(true);
    answer.write("lost");
    answer.end(Buffer.from("lost"));
  });

  test("an answer's stream does not delay writes if the caller reads nothing", () => {
    const answer = new AnswerStream(new Writable({ write: () => {} }));
    for (let count = 0; count < 5; count++) answer.write(Buffer.alloc(1024 * 1024));
    answer.end();
  });
});
