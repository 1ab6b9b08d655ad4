import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { AnswerStream } from "../../../handlers/proxy/answer-stream.ts";

function open() {
  const caller = new PassThrough();
  return { caller, answer: new AnswerStream(caller) };
}

test("an answer's stream passes on all writes, then ends once", async () => {
  const { caller, answer } = open();
  answer.write("0;");
  answer.write(Buffer.from("1;"));
  expect(answer.isClosed).toBe(false);
  answer.end();
  answer.end();
  expect(await text(caller)).toBe("0;1;");
});

test("an end with last bytes is the end: what is written later is dropped", async () => {
  const { caller, answer } = open();
  answer.write("0;");
  answer.end(Buffer.from("the end"));
  answer.write("lost");
  answer.end(Buffer.from("again"));
  expect(answer.isClosed).toBe(true);
  expect(await text(caller)).toBe("0;the end");
});

describe("a caller", () => {
  test("a caller who leaves closes the answer, and no write to it fails", () => {
    const { caller, answer } = open();
    caller.destroy();
    expect(answer.isClosed).toBe(true);
    answer.write("lost");
    answer.end(Buffer.from("lost"));
  });

  test("a caller who reads nothing delays no write", () => {
    const answer = new AnswerStream(new Writable({ write: () => {} }));
    for (let count = 0; count < 5; count++) answer.write(Buffer.alloc(1024 * 1024));
    answer.end();
  });
});
