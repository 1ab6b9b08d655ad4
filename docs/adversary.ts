// `npm run docs:adversary`: writes docs/adversary.md, which says for each role what it may change and what it cannot, from the routes.
import { writeFileSync } from "node:fs";
import type { AccessRule } from "../domain/access/access-rule.ts";
import { routes } from "../handlers/control/nouns.ts";
import type { Route } from "../handlers/control/routing/route.ts";
import { UseCaseRule, type WrittenField, wordsFor, writtenFields } from "../handlers/control/routing/writers.ts";

export const adversaryFile = new URL("adversary.md", import.meta.url);

const roles = ["owner", "developer", "stranger", "platform_admin", "platform_support"] as const;
type Role = (typeof roles)[number];

const titles: Record<Role, string> = {
  owner: "The owner",
  developer: "A developer",
  stranger: "A person who is not a member",
  platform_admin: "A platform administrator",
  platform_support: "Platform support",
};

const words: Record<Role, string> = {
  owner:
    "The owner of the workspace. The owner sets the rules that bind the workspace's people. The platform sets the rules that bind the owner.",
  developer: "A developer counts as an attacker, too: no developer can change a rule about developers.",
  stranger:
    "A person who is signed in but is not a member: invited, removed, or the owner of another workspace. This person finds nothing of the workspace.",
  platform_admin:
    "Platform staff are not members: they cannot reach a workspace's keys, integrations, skills or secrets.",
  platform_support: "Support can only read. The workspace's audit trail records each look.",
};

/** Those whom an access rule lets in (handlers/middleware/authorize.ts). */
const letsIn: Record<AccessRule, readonly Role[]> = {
  signed_in: roles,
  member: ["owner", "developer"],
  owner: ["owner"],
  tenant_owner: ["owner"],
  tenant_manager: ["owner", "platform_admin"],
  tenant_reader: ["owner", "platform_admin", "platform_support"],
  platform_admin: ["platform_admin"],
  platform_reader: ["platform_admin", "platform_support"],
};

const changes = Object.values(routes)
  .flatMap((noun) => Object.values<Route>(noun))
  .filter(({ method }) => method !== "GET");

export function adversaryView(): string {
  return `# The adversary's view

This page lists what each role may change through the control plane, and what it cannot. \`npm run docs:adversary\` makes it from the routes: each field of a body declares who may set it
(\`handlers/control/routing/writers.ts\`), and a field without that declaration does not compile ([decision 89](decisions/0089-writers-of-fields.md)). \`test/handlers/control/access-matrix.test.ts\` makes each call as each role, and
\`test/handlers/control/field-writers.test.ts\` sends each field as each role. Where a developer finds only their own records, the line of the call says so.

${roles.map(section).join("\n\n")}

## A service account

A service account calls the model proxy with its API key, within the limits that the owner set. The control plane accepts no API key (403 \`scope_missing\`). So a service account changes nothing, not even its own limits or expiry.

## A program with a person's token

A token of the token helper can only change the active workspace. A token of the skills client can make these changes, in the person's role. Any other change is refused with 403 \`scope_missing\`:

${table(
  ["Call", "What it does"],
  changes.filter(({ openers = [] }) => openers.length > 0).map((route) => [nameOf(route), route.summary]),
)}

## Rules that depend on more than the role

${table(["Call and fields", "May be set by", "Enforced by"], ruleRows())}
`;
}

function section(role: Role): string {
  const open = changes.filter(({ access }) => letsIn[access].includes(role));
  const closed = changes.filter((route) => !open.includes(route));
  const rows = open.map((route) => [nameOf(route), route.summary, fieldsFor(route, role)]);
  return [
    `## ${titles[role]}\n\n${words[role]}`,
    rows.length > 0 ? table(["May call", "What it does", "May set"], rows) : "This role can change nothing.",
    `Cannot set: ${refusedFields(open, role).join("; ") || "only fields of the calls that it cannot make"}.`,
    `Cannot call: ${closed.length > open.length ? "every other change" : closed.map(nameOf).join(", ")}.`,
  ].join("\n\n");
}

/** The fields that a role may set; how far, says for others than the owner a rule of the use case. */
function fieldsFor({ body }: Route, role: Role): string {
  if (!body) return "";
  const open = writtenFields(body.writers).filter((field) => maySet(field, role));
  const limitOf = ({ writer }: WrittenField) =>
    role !== "owner" && writer instanceof UseCaseRule ? " (by a rule)" : "";
  if (open.length === 1 && open[0]?.path === "") return `all${limitOf(open[0])}`;
  return open.map((field) => `\`${field.path}\`${limitOf(field)}`).join(", ") || "none";
}

function refusedFields(open: readonly Route[], role: Role): string[] {
  return open.flatMap((route) => {
    const refused = route.body ? writtenFields(route.body.writers).filter((field) => !maySet(field, role)) : [];
    const named = refused.map(({ path, writer }) => `\`${path || "body"}\` (${wordsFor(writer)})`);
    return named.length === 0 ? [] : [`${nameOf(route)}: ${named.join(", ")}`];
  });
}

function maySet({ writer }: WrittenField, role: Role): boolean {
  return writer === "caller" || writer instanceof UseCaseRule || writer === role;
}

function ruleRows(): string[][] {
  return changes.flatMap((route) =>
    (route.body ? writtenFields(route.body.writers) : []).flatMap(({ path, writer }) =>
      writer instanceof UseCaseRule
        ? [[`${nameOf(route)}${path && `: \`${path}\``}`, writer.who, `\`${writer.enforcedBy}\``]]
        : [],
    ),
  );
}

function nameOf({ method, path }: Route): string {
  return `\`${method} ${path}\``;
}

function table(head: readonly string[], rows: readonly string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (import.meta.main) writeFileSync(adversaryFile, adversaryView());
