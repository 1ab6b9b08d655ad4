// Which permissions each role was granted, and which it used: what is missing and what is too much.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Iam } from "../iam/iam.ts";
import { statementId } from "../iam/policy.ts";
import type { Role } from "../iam/roles.ts";
import type { Use } from "./calls.ts";

export type Grant = {
  role: string;
  /** `<policy>#<Sid or place>` */
  statement: string;
  /** As the policy writes it, perhaps a pattern. */
  action: string;
  resources: string[];
  used: boolean;
};

export type PermissionReport = {
  /** Every action that was asked for, by role. */
  uses: Use[];
  /** Every action of every Allow statement, by role. */
  grants: Grant[];
};

/** @param uses what `Calls.uses()` has counted */
export function report(iam: Pick<Iam, "roles">, uses: Use[]): PermissionReport {
  return { uses, grants: [...iam.roles.values()].flatMap((role) => grantsOf(role, uses)) };
}

/** One report out of several runs: uses add up, and a grant is used if any run used it. */
export function merge(reports: PermissionReport[]): PermissionReport {
  const uses = new Map<string, Use>();
  const grants = new Map<string, Grant>();
  for (const use of reports.flatMap((one) => one.uses)) {
    const key = `${use.role} ${use.action}`;
    const known = uses.get(key);
    uses.set(key, known ? added(known, use) : use);
  }
  for (const grant of reports.flatMap((one) => one.grants)) {
    const key = `${grant.role} ${grant.statement} ${grant.action}`;
    const known = grants.get(key);
    grants.set(key, { ...grant, used: grant.used || known?.used === true });
  }
  return { uses: [...uses.values()], grants: [...grants.values()] };
}

/** The report for people: per role what it used, what it was denied, and what it never used. */
export function table({ uses, grants }: PermissionReport): string {
  const roles = [...new Set([...uses, ...grants].map(({ role }) => role))].sort();
  return roles.map((role) => [role, ...rowsOf(role, uses, grants)].join("\n")).join("\n\n");
}

/** Writes one run's report into a folder that holds those of other runs. */
export async function saveReport(folder: string, one: PermissionReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify(one));
}

/** The merged report of every run in a folder. */
export async function readReports(folder: string): Promise<PermissionReport> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  return merge(await Promise.all(names.map((name) => readReport(join(folder, name)))));
}

async function readReport(path: string): Promise<PermissionReport> {
  const one = JSON.parse(await readFile(path, "utf8")) as Partial<PermissionReport>;
  if (!one.uses || !one.grants) throw new Error(`${path} is not a permission report`);
  return { uses: one.uses, grants: one.grants };
}

function grantsOf(role: Role, uses: Use[]): Grant[] {
  const own = uses.filter((use) => use.role === role.name && use.allowed > 0);
  return role.policies.flatMap((policy) =>
    policy.statements
      .filter((statement) => statement.isAllow())
      .flatMap((statement) => {
        const id = statementId(policy.name, statement);
        const actions = statement.isActionStatement()
          ? statement.actions().map((action) => action.value())
          : ["NotAction"];
        const resources = statement.isResourceStatement()
          ? statement.resources().map((each) => each.value())
          : ["NotResource"];
        return actions.map((action) => ({
          role: role.name,
          statement: id,
          action,
          resources,
          used: own.some(
            (use) => use.statements.includes(id) && (action === "NotAction" || matches(action, use.action)),
          ),
        }));
      }),
  );
}

/** IAM's patterns: `*` and `?`, and case does not count. */
function matches(pattern: string, action: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "i").test(action);
}

function added(left: Use, right: Use): Use {
  const statements = [...new Set([...left.statements, ...right.statements])];
  return { ...left, allowed: left.allowed + right.allowed, denied: left.denied + right.denied, statements };
}

function rowsOf(role: string, uses: Use[], grants: Grant[]): string[] {
  const own = uses.filter((use) => use.role === role);
  const used = own
    .filter(({ allowed }) => allowed > 0)
    .map(({ action, allowed }) => ["used", action, `${allowed} times`]);
  const denied = own.filter((use) => use.denied > 0).map((use) => ["DENIED", use.action, `${use.denied} times`]);
  const unused = grants
    .filter((grant) => grant.role === role && !grant.used)
    .map(({ action, statement, resources }) => ["unused", action, `${statement} on ${resources.join(", ")}`]);
  const rows = [...denied, ...used, ...unused];
  const width = Math.max(0, ...rows.map(([, action = ""]) => action.length));
  return rows.map(([state = "", action = "", detail]) => `  ${state.padEnd(6)}  ${action.padEnd(width)}  ${detail}`);
}
