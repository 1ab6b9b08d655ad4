// Data folders of the local stack, as tests lay them and look at them.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a stack of before there were versions has left: the names, and as much content as tells its folder. */
export function layUnversionedData(folder: string): void {
  mkdirSync(join(folder, "dynamodb"), { recursive: true });
  mkdirSync(join(folder, "logs"));
  const addresses = { edge: "http://127.0.0.1:8787", aws: "http://127.0.0.1:40000" };
  const files = {
    "services.sqlite": "",
    "services.sqlite-wal": "",
    "services.sqlite-shm": "",
    "stack.json": JSON.stringify(addresses),
    "dynamodb/CURRENT": "MANIFEST-000002\n",
    "dynamodb/MANIFEST-000002": "",
    "dynamodb/000003.log": "",
    "dynamodb/LOG": "",
    "dynamodb/LOCK": "",
    "logs/proxy-local.log": "",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** The paths of all files below a folder, from there. */
export function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true }) as string[];
  return paths.filter((path) => !statSync(join(folder, path)).isDirectory()).sort();
}
