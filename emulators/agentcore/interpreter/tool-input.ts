// The tools that a session's invocation may name, with their arguments
// (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/code-interpreter-api-reference-examples.html).
import * as z from "zod";

const text = z.string().max(100_000_000);
const command = z.strictObject({ command: text.min(1) });
const task = z.strictObject({ taskId: text.min(1) });
const paths = z.strictObject({ paths: z.array(text.min(1)).min(1) });
const file = z
  .strictObject({ path: text.min(1), text: text.optional(), blob: z.base64().optional() })
  .refine(({ text, blob }) => (text === undefined) !== (blob === undefined), "has either text or blob");

/** The local stack emulates all tools but `executeCode`. */
const invocation = z.discriminatedUnion("name", [
  z.object({ name: z.literal("executeCommand"), arguments: command }),
  z.object({ name: z.literal("startCommandExecution"), arguments: command }),
  z.object({ name: z.literal("getTask"), arguments: task }),
  z.object({ name: z.literal("stopTask"), arguments: task }),
  z.object({ name: z.literal("writeFiles"), arguments: z.strictObject({ content: z.array(file).min(1) }) }),
  z.object({ name: z.literal("readFiles"), arguments: paths }),
  z.object({ name: z.literal("removeFiles"), arguments: paths }),
  z.object({
    name: z.literal("listFiles"),
    arguments: z.strictObject({ directoryPath: text.default("") }).prefault({}),
  }),
]);

export { invocation };
export type Invocation = z.output<typeof invocation>;
