// Every active skill as a tool of its own name.
import { fromJsonSchema, type McpServer, type RegisteredTool, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { isTakenName } from "../../../domain/skills/skill-name.ts";
import type { ActiveSkill } from "../server/active-skills.ts";
import { readInstructions } from "./instructions-skill.ts";
import { plainInput, requestOf, runResult, runScript } from "./script-skill.ts";
import { callOf, type Services } from "./tool.ts";

/** Clients cut descriptions (Claude Code at 4,096 characters); a skill's own has at most 1,024. */
export class NativeTools {
  readonly #services: Services;
  readonly #server: McpServer;
  readonly #tools = new Map<string, { digest: string; tool: RegisteredTool }>();

  constructor(services: Services, server: McpServer) {
    this.#services = services;
    this.#server = server;
    this.follow();
  }

  /** Makes the tools those of the skills that are active now. The server tells its client once, whatever changes in one go. */
  follow(): void {
    const { active } = this.#services;
    for (const [name, { digest, tool }] of this.#tools) {
      if (active.find(name)?.digest === digest) continue;
      tool.remove();
      this.#tools.delete(name);
    }
    for (const one of active.all) {
      // A tool that this version has and the platform does not know yet. The skill is used by invoke_skill.
      if (this.#tools.has(one.skill.name) || isTakenName(one.skill.name)) continue;
      const tool = one.skill.kind === "script" ? this.#script(one) : this.#instructions(one);
      this.#tools.set(one.skill.name, { digest: one.digest, tool });
    }
  }

  #instructions(one: ActiveSkill): RegisteredTool {
    const { name } = one.skill;
    const path = z.string().max(200).optional().describe("A file that SKILL.md names; SKILL.md unless given");
    const annotations = { title: name, readOnlyHint: true, openWorldHint: false };
    const config = { title: name, description: this.#described(one), inputSchema: z.object({ path }), annotations };
    return this.#server.registerTool(name, config, (input: { path?: string | undefined }, ctx: ServerContext) =>
      callOf(this.#services, this.#server, ctx, async ({ api, active }) => {
        const workspace = await active.currentWorkspace();
        const version = await active.contents(one);
        return readInstructions({ api, workspace, skill: one.skill, version }, input.path);
      }),
    );
  }

  #script(one: ActiveSkill): RegisteredTool {
    const { name, input_schema: schema, network } = one.skill;
    const isOpen = network === "internet";
    const annotations = { title: name, readOnlyHint: false, destructiveHint: true, openWorldHint: isOpen };
    const inputSchema = schema ? fromJsonSchema<Record<string, unknown>>(schema) : z.object(plainInput);
    const config = { title: name, description: this.#described(one), outputSchema: runResult, annotations };
    return this.#server.registerTool(name, { ...config, inputSchema }, (input: unknown, ctx: ServerContext) =>
      callOf(this.#services, this.#server, ctx, ({ api }) =>
        runScript(api, name, requestOf(schema !== undefined, (input ?? {}) as Record<string, unknown>), ctx),
      ),
    );
  }

  #described({ skill: { description, kind }, version }: ActiveSkill): string {
    const workspace = this.#services.active.workspace?.name ?? "your workspace";
    const what = kind === "script" ? "It runs a script on the platform." : "It answers with instructions.";
    return `${description}\n\n(A skill of ${workspace}, version ${version}. ${what})`;
  }
}
