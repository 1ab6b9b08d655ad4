// The processes below another one, with the memory that they hold.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

type Row = { pid: number; parent: number; kilobytes: number };

/** The number of processes below this one, which is not counted itself, and their memory. */
export function usageBelow(root: number): { processes: number; memoryMb: number } {
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent);
  let [processes, kilobytes] = [0, 0];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const row of children.get(pid) ?? []) {
      waiting.push(row.pid);
      processes += 1;
      kilobytes += row.kilobytes;
    }
  }
  return { processes, memoryMb: kilobytes / 1_024 };
}

function allProcesses(): Row[] {
  if (process.platform === "linux")
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? row(name) : []));
  const lines = execFileSync("ps", ["-axo", "pid=,ppid=,rss="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [pid = 0, parent = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
    return { pid, parent, kilobytes };
  });
}

/** Nothing for a process that has just ended. A page has 4 KB (proc_pid_stat(5): fields 4 and 24). */
function row(name: string): Row[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8");
    // The name of the program, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid: Number(name), parent: Number(fields[1]), kilobytes: Number(fields[21]) * 4 }];
  } catch {
    return [];
  }
}
