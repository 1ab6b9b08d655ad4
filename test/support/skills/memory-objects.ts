// The objects of runs in memory: the input that a run takes, and the outputs that it leaves.
import type { RunKey } from "../../../domain/runs/run.ts";
import { type RunObjects, runObjectKey } from "../../../domain/runs/run-objects.ts";

export function memoryRunObjects(objects = new Map<string, unknown>()): RunObjects {
  const put = async (key: RunKey, part: string, value: unknown) => void objects.set(runObjectKey(key, part), value);
  const get = async (key: RunKey, part: string) => objects.get(runObjectKey(key, part)) as never;
  return {
    putInput: (key, input) => put(key, "input", input),
    input: (key) => get(key, "input"),
    putOutput: (key, output) => put(key, "output", output),
    output: (key) => get(key, "output"),
    putFile: (key, n, content) => put(key, `files/${n}`, content),
    file: (key, n) => get(key, `files/${n}`),
  };
}
