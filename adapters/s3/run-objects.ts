// The bucket's objects of runs: the input that a run takes, and the outputs that it leaves.
import { GetObjectCommand, NoSuchKey, PutObjectCommand } from "@aws-sdk/client-s3";
import * as z from "zod";
import type { RunKey } from "../../domain/runs/run.ts";
import { type RunObjects, runObjectKey } from "../../domain/runs/run-objects.ts";
import { s3 } from "./client.ts";

const inputSchema = z.object({
  input: z.unknown().optional(),
  args: z.array(z.string()).optional(),
  files: z.array(z.object({ name: z.string(), content: z.string() })).optional(),
});

const outputSchema = z.object({ output: z.string(), stderr: z.string() });

export function runObjects(bucket: string, client = s3()): RunObjects {
  const at = (key: RunKey, part: string) => ({ Bucket: bucket, Key: runObjectKey(key, part) });

  async function put(key: RunKey, part: string, Body: string | Uint8Array): Promise<void> {
    await client.send(new PutObjectCommand({ ...at(key, part), Body }));
  }

  async function get(key: RunKey, part: string): Promise<Uint8Array | undefined> {
    try {
      const { Body } = await client.send(new GetObjectCommand(at(key, part)));
      return await Body?.transformToByteArray();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async function parsed<T>(key: RunKey, part: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const bytes = await get(key, part);
    return bytes && schema.parse(JSON.parse(Buffer.from(bytes).toString()));
  }

  return {
    putInput: (key, input) => put(key, "input", JSON.stringify(input)),
    input: (key) => parsed(key, "input", inputSchema),
    putOutput: (key, output) => put(key, "output", JSON.stringify(output)),
    output: (key) => parsed(key, "output", outputSchema),
    putFile: (key, n, content) => put(key, `files/${n}`, content),
    file: (key, n) => get(key, `files/${n}`),
  };
}
