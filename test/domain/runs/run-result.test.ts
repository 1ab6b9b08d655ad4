import { expect, test } from "@jest/globals";
import { runLimits } from "../../../domain/runs/run-limits.ts";
import { resultOf } from "../../../domain/runs/run-result.ts";
import { keptBytes, places } from "../../../domain/runs/session-script.ts";

/** What a run gives back of a session with these files. */
const result = (files: Record<string, string>, secrets: string[] = []) =>
  resultOf({ read: async (path) => (path in files ? Buffer.from(files[path] ?? "") : undefined) }, secrets);

test("a run returns exit code, outputs and files, without the values of secrets", async () => {
  const files = {
    [places.code]: "3\n",
    [places.output]: "out s3cret",
    [places.stderr]: "err s3cret",
    [places.files]: "8 a-s3cret.txt\n",
    [`${places.outputs}/a-s3cret.txt`]: "a s3cret",
  };
  expect(await result(files, ["s3cret"])).toEqual({
    ...{ exitCode: 3, output: { output: "out [secret]", stderr: "err [secret]" }, isCut: false },
    ...{ files: [{ name: "a-[secret].txt", content: Buffer.from("a [secret]") }], isMore: false },
  });
});

test("a script that was ended from outside has no exit code", async () => {
  expect(await result({ [places.output]: "so far" })).toMatchObject({
    ...{ exitCode: undefined, output: { output: "so far", stderr: "" }, isCut: false },
  });
  expect(await result({ [places.code]: "forged" })).toMatchObject({ exitCode: undefined });
});

test.each([
  ["the output", places.output, runLimits.outputBytes, keptBytes.output],
  ["the error output", places.stderr, runLimits.stderrBytes, keptBytes.stderr],
])("a run's result has %s cut at its limit, between two characters, and says so", async (_, place, most, kept) => {
  const given = async (text: string) => {
    const { output, isCut } = await result({ [place]: text });
    return { length: Buffer.byteLength(output.output + output.stderr), isCut };
  };
  expect(await given("x".repeat(most))).toEqual({ length: most, isCut: false });
  expect(await given("x".repeat(most + 1))).toEqual({ length: most, isCut: true });
  expect(await given(`x${"ä".repeat(most / 2)}`)).toEqual({ length: most - 1, isCut: true });
  expect(await given("x".repeat(kept))).toEqual({ length: most, isCut: true });
});

test("a secret value at the limit of the output is not shown in part, nor one that the session has cut", async () => {
  const divided = `${"x".repeat(runLimits.outputBytes - 3)}s3cret`;
  expect((await result({ [places.output]: divided }, ["s3cret"])).output.output).not.toContain("s3c");
  const full = `${"x".repeat(keptBytes.output - 3)}s3c`;
  expect((await result({ [places.output]: full }, ["s3cret", "x".repeat(9_000)])).output.output).not.toContain("s3c");
});

test("a run's file that has grown since it was listed is left out, and the result says so", async () => {
  const files = { [places.files]: "1 a\n1 b\n", [`${places.outputs}/a`]: "aa", [`${places.outputs}/b`]: "b" };
  expect(await result(files)).toMatchObject({ files: [{ name: "b" }], isMore: true });
});
