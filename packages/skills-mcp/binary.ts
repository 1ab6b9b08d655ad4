// `npm run binary`: `dist/archway-skills`, the bundle with Node in it.
import { fileURLToPath } from "node:url";
import { binary } from "../command-line/build/binary.ts";
import { bundle } from "./build.ts";

const dist = fileURLToPath(new URL("dist", import.meta.url));

/** @param outfile where the binary goes; `dist/archway-skills`, on Windows with `.exe`, unless given. */
export function skillsBinary(outfile?: string): Promise<string> {
  return binary({ name: "archway-skills", dist, bundle }, outfile);
}

if (import.meta.main) await skillsBinary(process.argv[2]);
