// `npm start`: runs the whole platform here and says what to try.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Level, levels } from "../emulators/sandbox/confinement.ts";
import { defaultDataFolder } from "./data-folder.ts";
import { welcome } from "./demo/welcome.ts";
import { defaultPort } from "./describe.ts";
import { localStackFile } from "./program/program.ts";
import { resetDataFolder } from "./reset.ts";
import type { Stack } from "./running-stack.ts";
import { startLocal } from "./stack.ts";

const usage = `Usage: npm start -- [options]

  --port N          the port of everything; ${defaultPort} unless given
  --reset           empty the data folder first; no folder but a stack's
  --ephemeral       keep nothing
  --data FOLDER     keep data there; .local unless given
  --stack FILE      the stack's configuration; local/stack.yaml unless given
  --sandbox LEVEL   how scripts are confined: bwrap, seatbelt or none; the best that works here unless given
  --upstream URL    answer from a real Messages API; its key is read from UPSTREAM_API_KEY
  --help            this text
`;

const root = fileURLToPath(new URL("..", import.meta.url));

type Arguments = {
  port: number;
  dataFolder: string;
  stackFile: string;
  reset: boolean;
  ephemeral: boolean;
  upstream: string | undefined;
  sandbox: Level | undefined;
};

function readArguments(): Arguments | undefined {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: String(defaultPort) },
      reset: { type: "boolean", default: false },
      ephemeral: { type: "boolean", default: false },
      data: { type: "string", default: defaultDataFolder },
      stack: { type: "string", default: join(root, localStackFile) },
      upstream: { type: "string" },
      sandbox: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65535) throw new Error("--port: must be 0 to 65535");
  if (values.upstream !== undefined && !/^https?:\/\/[^/]/.test(values.upstream)) {
    throw new Error("--upstream: must be an http or https URL");
  }
  const sandbox = levels.find((level) => level === values.sandbox);
  if (values.sandbox !== undefined && !sandbox) throw new Error(`--sandbox: must be ${levels.join(", ")}`);
  const { reset, ephemeral, upstream, data, stack } = values;
  return { port, reset, ephemeral, upstream, sandbox, dataFolder: data, stackFile: stack };
}

async function main(): Promise<void> {
  const given = readArguments();
  if (!given) return void process.stdout.write(usage);
  const { reset, upstream, sandbox, ...options } = given;
  if (reset) await resetDataFolder(options.dataFolder);
  const apiKey = process.env.UPSTREAM_API_KEY;
  const stack = await startLocal({
    ...options,
    ...(sandbox && { sandbox }),
    onStep: (step) => void process.stderr.write(`${step} ...\n`),
    ...(upstream !== undefined && { upstream: { url: upstream, ...(apiKey && { apiKey }) } }),
  });
  process.stdout.write(welcome(stack, { upstream, secondsToStart: process.uptime() }));
  stopOnSignal(stack);
}

/** A second Ctrl+C ends at once. SIGTERM may come twice: the entry of the scripts forwards it, and it may have gone to the whole process group. */
function stopOnSignal(stack: Stack): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    void stack.stop().then(() => process.exit(0));
  };
  process.once("SIGINT", stop);
  process.on("SIGTERM", stop);
}

main().catch((error: Error & { code?: string }) => {
  process.stderr.write(`${error.message}\n`);
  if (error.code?.startsWith("ERR_PARSE_ARGS")) process.stderr.write(`\n${usage}`);
  process.exit(1);
});
