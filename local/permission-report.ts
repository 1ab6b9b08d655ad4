// The report of permissions: for each role the granted and the used ones, so that missing and needless ones show.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Calls, Use } from "../emulators/aws/calls.ts";
import type { Iam } from "../emulators/iam/iam.ts";
import { patternOf } from "../emulators/iam/pattern.ts";
import { leadingKeysOf, statementId } from "../emulators/iam/policy.ts";
import type { Role } from "../emulators/iam/roles.ts";

export type GrantedAction = {
  role: string;
  /** `<policy>#<Sid or place>` */
  statement: string;
  /** The action in the policy, which may be a pattern. */
  action: string;
  /** The pattern of partition keys in the policy, which names a kind of record. */
  leadingKeys?: string;
  resources: string[];
  used: boolean;
};

export type PermissionReport = {
  /** Every action that was asked for, by role and kind of record. */
  uses: Use[];
  /** Every action of every Allow statement, by role and kind of record. */
  grants: GrantedAction[];
};

/** @param uses the result of `Calls.uses()`. */
export function report(iam: Pick<Iam, "roles">, uses: Use[]): PermissionReport {
  return { uses, grants: [...iam.roles.values()].flatMap((role) => grantsOf(role, uses)) };
}

/** Merges the reports of several runs. Uses add up, and a grant is used if any run used it. */
export function merge(reports: PermissionReport[]): PermissionReport {
  const uses = new Map<string, Use>();
  const grants = new Map<string, GrantedAction>();
  for (const use of reports.flatMap((one) => one.uses)) {
    const key = JSON.stringify([use.role, use.action, use.leadingKeys]);
    const known = uses.get(key);
    uses.set(key, known ? added(known, use) : use);
  }
  for (const grant of reports.flatMap((one) => one.grants)) {
    const key = JSON.stringify([grant.role, grant.statement, grant.action, grant.leadingKeys]);
    const known = grants.get(key);
    grants.set(key, { ...grant, used: grant.used || known?.used === true });
  }
  return { uses: [...uses.values()], grants: [...grants.values()] };
}

/** The report for people: for each role its used, denied and unused permissions. */
export function table({ uses, grants }: PermissionReport): string {
  const roles = [...new Set([...uses, ...grants].map(({ role }) => role))].sort();
  return roles.map((role) => [role, ...rowsOf(role, uses, grants)].join("\n")).join("\n\n");
}

/** Writes a stack's report into the folder that `ARCHWAY_PERMISSIONS_DIR` names, if it names one. */
export async function saveUses(iam: Pick<Iam, "roles">, calls: Pick<Calls, "uses">): Promise<void> {
  const folder = process.env.ARCHWAY_PERMISSIONS_DIR;
  if (folder) await saveReport(folder, report(iam, calls.uses()));
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

function grantsOf(role: Role, uses: Use[]): GrantedAction[] {
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
        const kinds = leadingKeysOf(statement).map((leadingKeys) => ({ leadingKeys }));
        return actions.flatMap((action) =>
          (kinds.length > 0 ? kinds : [{}]).map((kind: Pick<GrantedAction, "leadingKeys">) => ({
            role: role.name,
            statement: id,
            action,
            ...kind,
            resources,
            used: own.some((use) => use.statements.includes(id) && isUseOf(use, action, kind)),
          })),
        );
      }),
  );
}

function isUseOf(use: Use, action: string, { leadingKeys }: Pick<GrantedAction, "leadingKeys">): boolean {
  if (leadingKeys !== undefined && leadingKeys !== use.leadingKeys) return false;
  return action === "NotAction" || patternOf(action, { ignoreCase: true }).test(use.action);
}

function added(left: Use, right: Use): Use {
  const statements = [...new Set([...left.statements, ...right.statements])];
  return { ...left, allowed: left.allowed + right.allowed, denied: left.denied + right.denied, statements };
}

function rowsOf(role: string, uses: Use[], grants: GrantedAction[]): string[] {
  const own = uses.filter((use) => use.role === role);
  const used = own.filter(({ allowed }) => allowed > 0).map((use) => ["used", titleOf(use), `${use.allowed} times`]);
  const denied = own.filter((use) => use.denied > 0).map((use) => ["DENIED", titleOf(use), `${use.denied} times`]);
  const unused = grants
    .filter((grant) => grant.role === role && !grant.used)
    .map((grant) => ["unused", titleOf(grant), `${grant.statement} on ${grant.resources.join(", ")}`]);
  const rows = [...denied, ...used, ...unused];
  const width = Math.max(0, ...rows.map(([, action = ""]) => action.length));
  return rows.map(([state = "", action = "", detail]) => `  ${state.padEnd(6)}  ${action.padEnd(width)}  ${detail}`);
}

function titleOf({ action, leadingKeys }: Pick<GrantedAction, "action" | "leadingKeys">): string {
  return leadingKeys === undefined ? action : `${action} ${leadingKeys}`;
}
