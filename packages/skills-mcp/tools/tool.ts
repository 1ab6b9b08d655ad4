// What every tool works with, and how one is registered.
import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { managementTools } from "../../../domain/skills/skill-name.ts";
import type { Machine } from "../../command-line/machine/machine.ts";
import type { SkillsApi } from "../api/skills-api.ts";
import type { LocalPages } from "../pages/local-pages.ts";
import type { ActiveSkills } from "../server/active-skills.ts";
import { type Answer, answered } from "../server/answer.ts";
import { foldersOf } from "../server/client.ts";
import type { Person } from "../server/person.ts";
import type { SignInHere } from "../server/sign-in-here.ts";

/** Services that all connections share. */
export type Services = {
  machine: Machine;
  workingDirectory: string;
  api: SkillsApi;
  active: ActiveSkills;
  pages: LocalPages;
  person: Person;
  signIn: SignInHere;
};

/** The context of one call of a tool. */
export type Call = Services & {
  server: McpServer;
  ctx: ServerContext;
  /** The folders in which the client lets files be read and written. */
  folders: () => string[];
};

export type Described<Input extends z.ZodObject> = {
  title: string;
  description: string;
  input: Input;
  hints: ToolAnnotations;
};

/** A call without a sign-in leads the person to one first, and then goes on. */
export function registerTool<Input extends z.ZodObject>(
  services: Services,
  server: McpServer,
  name: (typeof managementTools)[number],
  { title, description, input, hints }: Described<Input>,
  work: (input: z.output<Input>, call: Call) => Promise<CallToolResult>,
): void {
  const config = { title, description, inputSchema: input as z.ZodObject, annotations: { title, ...hints } };
  server.registerTool(name, config, (values, ctx) =>
    callOf(services, server, ctx, (call) => work(values as z.output<Input>, call)),
  );
}

export function callOf(
  services: Services,
  server: McpServer,
  ctx: ServerContext,
  work: (call: Call) => Promise<CallToolResult>,
): Promise<Answer> {
  const folders = () => foldersOf(server, ctx, services.workingDirectory);
  return answered(() => services.signIn.before(server, ctx, () => work({ ...services, server, ctx, folders })));
}

export const reading: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const changing: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
