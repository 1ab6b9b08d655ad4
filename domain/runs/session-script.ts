// What lies in a session, and the shell script that runs a skill's script there: it sets the environment, bounds what is kept of the outputs, and
// notes how it ended. Everything is POSIX shell, because that is what any session has.

import { environmentLimits } from "../skills/limits.ts";
import { suffixOf } from "../skills/skill-file.ts";
import { runLimits } from "./run-limits.ts";

/** Paths in the session, relative to where it starts. */
export const places = {
  skill: "skill",
  inputs: "input",
  outputs: "output",
  wrapper: "run.sh",
  environment: "env.sh",
  input: "input.json",
  output: "result/out",
  stderr: "result/err",
  code: "result/code",
  files: "result/files",
} as const;

export const startCommand = `sh ./${places.wrapper}`;

/** Bytes that are kept of an output beyond its limit, so that no secret is cut where the output is. */
const { secretBytes } = environmentLimits;
export const keptBytes = { output: runLimits.outputBytes + secretBytes, stderr: runLimits.stderrBytes + secretBytes };

/** A text as one word of the shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The file that the wrapper reads the environment from, and removes. */
export function environmentFile(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join("");
}

/** Programs that run a script, by the script's suffix (run-declaration.ts). */
const programs: Record<string, string> = { ".py": "python3", ".js": "node", ".mjs": "node", ".sh": "bash" };

/** A limit of files is in units of 512 bytes (POSIX, ulimit). */
const units = (bytes: number) => Math.ceil(bytes / 512);

/** @param path of the script in the skill's folder */
export function wrapper(path: string, args: readonly string[]): string {
  const command = [programs[suffixOf(path)] ?? "sh", `./${path}`, ...args].map(quoted).join(" ");
  const { inputs, outputs, environment, skill, input } = places;
  return `# Starts the script of a skill.
set -u
# A second start of the same run finds the first one's folder.
mkdir result || exit 0
here=$PWD
. ./${environment}
rm -f ./${environment} ./${places.wrapper}
export INPUT_DIR="$here/${inputs}" OUTPUT_DIR="$here/${outputs}"
mkdir -p ${inputs} ${outputs}
mkfifo result/out.pipe result/err.pipe
# Keeps the beginning of an output, and reads the rest so that nobody waits.
keep() {
  (
    (ulimit -f "$2"; trap '' XFSZ; cat > "result/$1" 2> /dev/null)
    cat > /dev/null
    : > "result/$1.end"
  ) < "result/$1.pipe" 2> /dev/null &
}
keep out ${units(keptBytes.output)}
keep err ${units(keptBytes.stderr)}
(cd ${skill} && exec ${command}) < ./${input} > result/out.pipe 2> result/err.pipe
code=$?
# A process that the script left behind may hold the outputs open.
tries=0
while { [ ! -e result/out.end ] || [ ! -e result/err.end ]; } && [ $tries -lt 20 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
cd ${outputs} 2> /dev/null && {
  count=0
  for file in *; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    count=$((count + 1))
    [ $count -le ${runLimits.outputFiles + 1} ] || break
    printf '%d %s\\n' "$(wc -c < "$file")" "$file"
  done > ../${places.files}
  cd ..
}
echo $code > ${places.code}
`;
}

/** The files that a run left, by the wrapper's list: those that fit into the limits, and whether there were more. */
export function listedFiles(list: string): { files: { name: string; size: number }[]; isMore: boolean } {
  const lines = list.split("\n").filter((line) => line !== "");
  const listed = lines.flatMap((line) => {
    const [, size, name = ""] = /^(\d{1,12}) (.+)$/.exec(line) ?? [];
    return size !== undefined && isFileName(name) ? [{ name, size: Number(size) }] : [];
  });
  let left: number = runLimits.fileBytes;
  const files = listed.slice(0, runLimits.outputFiles).filter(({ size }) => {
    if (size > left) return false;
    left -= size;
    return true;
  });
  return { files, isMore: files.length < lines.length };
}

/** A name without a folder, which any system takes. */
export function isFileName(name: string): boolean {
  if (name === "" || name.length > runLimits.fileNameLength || name === "." || name === "..") return false;
  return !/[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]/u.test(name) && !name.startsWith("-");
}
