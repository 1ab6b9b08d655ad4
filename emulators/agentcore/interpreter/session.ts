// A session of a Code Interpreter: a folder, and the commands that run in it. At AWS it is a machine of its own.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ConfinedProcess, type Ended } from "../../sandbox/confined-process.ts";
import type { Level } from "../../sandbox/confinement.ts";
import { sandboxFolder } from "../../sandbox/folder.ts";
import type { Limits } from "../../sandbox/limits.ts";
import { randomText } from "../ids.ts";
import { notFound } from "../refusals.ts";
import type { Interpreter } from "./interpreters.ts";
import type { Invocation } from "./tool-input.ts";
import {
  commandResult,
  fileContent,
  fileLink,
  problem,
  type TaskStatus,
  type ToolResult,
  taskResult,
} from "./tool-result.ts";

type Task = { process: ConfinedProcess; status: TaskStatus; ended?: Ended };
type SessionOptions = { interpreter: Interpreter; level: Level; limits: Limits };
type FilesTool = Extract<Invocation, { name: `${string}Files` }>;
type Found = { path: string; name: string; folder: boolean; blob: string };

const filesScript = readFileSync(fileURLToPath(new URL("./files-in-session.mjs", import.meta.url)), "utf8");

export class Session {
  readonly #options: SessionOptions;
  readonly #folder = sandboxFolder();
  readonly #running = new Set<ConfinedProcess>();
  readonly #tasks = new Map<string, Task>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** @throws AwsError ResourceNotFoundException for an unknown task. */
  async invoke(tool: Invocation): Promise<ToolResult> {
    switch (tool.name) {
      case "executeCommand": {
        const command = this.#command(tool.arguments.command);
        return commandResult(command, await command.ended);
      }
      case "startCommandExecution":
        return taskResult(this.#start(tool.arguments.command), "submitted");
      case "getTask": {
        const { process, status, ended } = this.#task(tool.arguments.taskId);
        return taskResult(tool.arguments.taskId, status, commandResult(process, ended));
      }
      case "stopTask": {
        const { taskId } = tool.arguments;
        const task = this.#task(taskId);
        if (task.status === "working") task.status = "canceled";
        await task.process.kill();
        return taskResult(taskId, task.status);
      }
      default:
        return this.#files(tool);
    }
  }

  /** Ends every command, and removes what they wrote. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.kill()));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #command(command: string): ConfinedProcess {
    return this.#process(["/bin/sh", "-c", command]);
  }

  #process(command: string[], input?: string): ConfinedProcess {
    const { level, limits, interpreter } = this.#options;
    const network = interpreter.networkMode === "PUBLIC";
    const process = new ConfinedProcess(command, {
      level,
      folder: this.#folder,
      network,
      limits,
      ...(input !== undefined && { input }),
    });
    this.#running.add(process);
    void process.ended.then(() => this.#running.delete(process));
    return process;
  }

  #start(command: string): string {
    const taskId = randomText(20);
    const task: Task = { process: this.#command(command), status: "working" };
    this.#tasks.set(taskId, task);
    void task.process.ended.then((ended) => {
      task.ended = ended;
      if (task.status === "working") task.status = ended.exitCode === 0 ? "completed" : "failed";
    });
    return taskId;
  }

  #task(id: string): Task {
    const task = this.#tasks.get(id);
    if (!task) throw notFound(`Task ${id} was not found`);
    return task;
  }

  async #files({ name, arguments: given }: FilesTool): Promise<ToolResult> {
    const command = ["/usr/bin/env", "node", "--input-type=module", "--eval", filesScript];
    const process = this.#process(command, JSON.stringify({ name, given }));
    const { exitCode } = await process.ended;
    if (exitCode !== 0) return problem(process.stderr.toString());
    const { found = [], problem: reason } = JSON.parse(process.stdout.toString()) as {
      found?: Found[];
      problem?: string;
    };
    if (reason !== undefined) return problem(reason);
    if (name === "readFiles") return { content: found.map(fileContent), isError: false };
    if (name === "listFiles") return { content: found.map(fileLink), isError: false };
    return { content: [{ type: "text", text: "Done" }], isError: false };
  }
}
