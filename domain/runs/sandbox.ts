// Where scripts run, as the runner sees it.
import type { RunDeclaration } from "../skills/run-declaration.ts";

export type SessionFile = { path: string; content: Uint8Array };

export type SessionWanted = {
  /** Names the session, and is the token by which it is started once. */
  runId: string;
  network: RunDeclaration["network"];
  /** Seconds after which the session ends by itself. */
  seconds: number;
};

/** Thrown if the sandbox has no room, or does not answer: the script was not started. */
export class SandboxUnavailable extends Error {
  override name = "SandboxUnavailable";
}

export interface Session {
  write(files: readonly SessionFile[]): Promise<void>;
  /** Starts a command and does not wait for its end. It is never repeated. @returns the task's id */
  start(command: string): Promise<string>;
  isOver(taskId: string): Promise<boolean>;
  end(taskId: string): Promise<void>;
  /** Undefined for a file that is not there. */
  read(path: string): Promise<Buffer | undefined>;
  stop(): Promise<void>;
}

export interface Sandbox {
  /** @throws SandboxUnavailable */
  session(wanted: SessionWanted): Promise<Session>;
  /** Stops what an earlier attempt at the run left. */
  stopSessionsOf(wanted: Pick<SessionWanted, "runId" | "network">): Promise<void>;
}
