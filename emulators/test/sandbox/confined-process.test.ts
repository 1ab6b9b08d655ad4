import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ConfinedProcess } from "../../sandbox/confined-process.ts";
import { confined, type Level } from "../../sandbox/confinement.ts";
import { sandboxFolder } from "../../sandbox/folder.ts";
import { defaultLimits, type Limits } from "../../sandbox/limits.ts";
import { describeLevels } from "../support/sandbox-levels.ts";

let folder: string;

beforeEach(() => {
  folder = sandboxFolder();
});

afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

type Wanted = { network?: boolean; limits?: Partial<Limits>; input?: string };

function started(level: Level, script: string, { network = false, limits = {}, input = "" }: Wanted = {}) {
  const command = ["/bin/sh", "-c", script];
  return new ConfinedProcess(command, { level, folder, network, input, limits: { ...defaultLimits, ...limits } });
}

async function ran(level: Level, script: string, wanted?: Wanted) {
  const process = started(level, script, wanted);
  const { exitCode } = await process.ended;
  return { exitCode, stdout: process.stdout.toString(), stderr: process.stderr.toString() };
}

/** Empty for a process that has just ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describeLevels(["bwrap", "seatbelt", "none"], (level) => {
  test("a confined command reads its input, prints, and ends with its exit code", async () => {
    expect(await ran(level, "cat; echo no >&2; exit 3", { input: "yes" })).toEqual({
      exitCode: 3,
      stdout: "yes",
      stderr: "no\n",
    });
  });

  test("a confined process has Node, a writable home, and none of the stack's variables", async () => {
    process.env.ARCHWAY_TEST_SECRET = "do not show";
    const { stdout, exitCode } = await ran(level, "env; echo x > $HOME/file && node -p '6*7'");
    delete process.env.ARCHWAY_TEST_SECRET;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^42$/m);
    expect(stdout).not.toContain("do not show");
  });

  test("a confined process that sleeps and ignores TERM is killed", async () => {
    const process = started(level, "trap '' TERM HUP INT; echo up; while :; do sleep 1; done");
    while (!process.stdout.includes("up")) await new Promise(setImmediate);
    await process.kill();
    expect((await process.ended).exitCode).toBe(137);
  });

  test("a confined process is killed together with its child processes", async () => {
    expect((await ran(level, "sleep 1000 & echo done")).stdout).toBe("done\n");
  });

  test("a confined process may print without end: it runs to its end, and the first 64 MB are kept", async () => {
    const { exitCode, stdout } = await ran(level, "head -c 200000000 /dev/zero");
    expect(exitCode).toBe(0);
    expect(stdout).toHaveLength(64 * 1_048_576);
  });

  test("a confined process that uses too much memory is killed, and the reason is given", async () => {
    const script = "node -e 'const held = []; for (;;) held.push(Buffer.alloc(10_000_000, 1))'";
    const { exitCode, stderr } = await ran(level, script, { limits: { memoryMb: 200 } });
    expect(exitCode).toBe(137);
    expect(stderr).toContain("it used more than 200 MB of memory");
  });

  test("a confined process that writes too much is killed", async () => {
    const script = "i=0; while :; do head -c 1000000 /dev/zero > file$i; i=$((i+1)); done";
    const { exitCode, stderr } = await ran(level, script, { limits: { diskMb: 20 } });
    expect(exitCode).toBe(137);
    expect(stderr).toContain("it wrote more than 20 MB");
  });

  test("a confined process cannot write a file above the limit", async () => {
    const { exitCode } = await ran(level, "head -c 100000000 /dev/zero > file", { limits: { diskMb: 5 } });
    expect(exitCode).not.toBe(0);
  });

  test("a confined process that starts too many processes is killed", async () => {
    const script = "for i in $(seq 60); do sleep 1000 & done; wait";
    const { exitCode, stderr } = await ran(level, script, { limits: { processes: 20 } });
    expect(exitCode).toBe(137);
    expect(stderr).toContain("it had more than 20 processes");
  });
});

describeLevels(["bwrap", "seatbelt"], (level) => {
  let outside: string;

  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), "archway-outside-"));
    writeFileSync(join(outside, "secret"), "do not show");
  });

  afterEach(() => rmSync(outside, { recursive: true, force: true }));

  test("a confined process cannot read the home of the machine's user", async () => {
    const { exitCode, stdout } = await ran(level, `ls -A ${homedir()} && cat ${homedir()}/.*`);
    expect(exitCode).not.toBe(0);
    expect(stdout).toBe("");
  });

  test("a confined process cannot write outside its folder", async () => {
    const { stdout } = await ran(
      level,
      `for f in ${outside}/file /usr/file /etc/file /file; do (echo x > $f) 2>/dev/null && echo $f; done; true`,
    );
    expect(stdout).toBe("");
    expect(existsSync(join(outside, "file"))).toBe(false);
  });

  test("a confined process reaches neither a server of this machine nor a cloud's metadata address", async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.end("reached");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const script = `
      const urls = ["http://127.0.0.1:${port}/", "http://169.254.169.254/latest/meta-data/"];
      const asked = urls.map((url) => fetch(url, { signal: AbortSignal.timeout(5000) }).then(() => url, () => "no"));
      console.log((await Promise.all(asked)).join());`;
    const { stdout } = await ran(level, `node --input-type=module -e '${script}'`);
    expect(stdout.trim()).toBe("no,no");
    expect(calls).toBe(0);
    expect((await ran(level, `node -p 'fetch("http://127.0.0.1:${port}/"),1'`, { network: true })).stdout).toBe("1\n");
    expect(calls).toBe(1);
    await new Promise((resolve) => server.close(resolve));
  });
});

describeLevels(["bwrap"], (level) => {
  // By the confinement alone, without the watchdog, and with few enough processes for the machine if they are not refused.
  test("the kernel refuses processes beyond the limit, however fast they are started", () => {
    const script = `
      const { spawn } = require("node:child_process");
      const asked = Array.from({ length: 200 }, () => spawn("sleep", ["1000"]).on("error", () => {}));
      console.log(asked.filter(({ pid }) => pid).length);
      process.exit();`;
    const command = ["/usr/bin/env", "node", "-e", script];
    const limits = { ...defaultLimits, processes: 4 };
    const { file, args, options } = confined(level, command, { folder, network: false, limits });
    const started = Number(spawnSync(file, args, { ...options, encoding: "utf8", timeout: 20_000 }).stdout);
    expect(started).toBeGreaterThan(4);
    expect(started).toBeLessThan(4 * 16);
  });

  test("a confined process sees no other processes, cannot write kernel settings, and has no root rights", async () => {
    const script =
      "ls /proc | grep -c '^[0-9]'; (test -w /proc/sys/kernel/core_pattern) && echo writable; grep CapEff /proc/self/status; id -u";
    const { stdout } = await ran(level, script);
    const [seen, capabilities, user] = stdout.trim().split("\n");
    expect(Number(seen)).toBeLessThan(6);
    expect(capabilities).toMatch(/\t0+$/);
    expect(user).toBe("1000");
  });

  test("a child that leaves the process group is killed with the confined command", async () => {
    await ran(level, "setsid sleep 98765 & sleep 0.2");
    const commands = readdirSync("/proc").map((name) => (/^\d+$/.test(name) ? commandOf(name) : ""));
    expect(commands.filter((command) => command.includes("98765"))).toEqual([]);
  });

  test("a confined process does not see files outside its folder", async () => {
    const outside = mkdtempSync(join(tmpdir(), "archway-outside-"));
    writeFileSync(join(outside, "secret"), "do not show");
    expect((await ran(level, `cat ${outside}/secret`)).stdout).toBe("");
    rmSync(outside, { recursive: true });
  });
});
