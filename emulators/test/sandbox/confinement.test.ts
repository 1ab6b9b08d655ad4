import { homedir } from "node:os";
import { expect, test } from "@jest/globals";
import { confined } from "../../sandbox/confinement.ts";
import { defaultLimits } from "../../sandbox/limits.ts";

const without = { folder: "/tmp/session", network: false, limits: defaultLimits };

test("bubblewrap creates namespaces of its own, and shares the machine's network only if the network is declared", () => {
  const { file, args } = confined("bwrap", ["/bin/true"], without);
  expect(file).toBe("bwrap");
  expect(args).toEqual(expect.arrayContaining(["--unshare-all", "--die-with-parent", "--clearenv"]));
  expect(args).not.toContain("--share-net");
  expect(confined("bwrap", ["/bin/true"], { ...without, network: true }).args).toContain("--share-net");
});

test("seatbelt denies network, home and writing, except in the session's folder", () => {
  const { file, args } = confined("seatbelt", ["/bin/true"], without);
  expect(file).toBe("/usr/bin/sandbox-exec");
  expect(args[1]).toContain("(deny network*)");
  expect(args[1]).toContain(`(deny file-read* (subpath "${homedir()}")`);
  expect(args[1]).toContain('(deny file-write*)(allow file-write* (subpath "/tmp/session")');
  expect(confined("seatbelt", ["/bin/true"], { ...without, network: true }).args[1]).not.toContain("(deny network*)");
});

test.each(["bwrap", "seatbelt", "none"] as const)(
  "a command gets none of the stack's environment at level %s",
  (level) => {
    const { options } = confined(level, ["/bin/true"], without);
    expect(Object.keys(options.env).filter((name) => !["PATH", "HOME", "TMPDIR", "LANG"].includes(name))).toEqual([]);
  },
);
