// What a run takes and gives, in the platform's bucket for a day.
import { skillObjects } from "../skills/skill-version.ts";
import type { RunKey } from "./run.ts";

/** A file by its name, in base64. */
export type NamedFile = { name: string; content: string };

/** The caller's input, arguments and files. */
export type RunInput = { input?: unknown; args?: string[] | undefined; files?: NamedFile[] | undefined };

/** The script's standard output and standard error. */
export type RunOutput = { output: string; stderr: string };

/** Objects of runs. A read returns undefined for an object that is gone. */
export interface RunObjects {
  putInput(key: RunKey, input: RunInput): Promise<void>;
  input(key: RunKey): Promise<RunInput | undefined>;
  putOutput(key: RunKey, output: RunOutput): Promise<void>;
  output(key: RunKey): Promise<RunOutput | undefined>;
  putFile(key: RunKey, n: number, content: Uint8Array): Promise<void>;
  file(key: RunKey, n: number): Promise<Uint8Array | undefined>;
}

/** The beginning of the names of all objects of a tenant's runs. */
const runsOf = (tenantId: string) => `${skillObjects.runs}${tenantId}/`;

/** @param part `input`, `output`, or `files/1` */
export function runObjectKey({ tenantId, id }: RunKey, part: string): string {
  return `${runsOf(tenantId)}${id}/${part}`;
}
