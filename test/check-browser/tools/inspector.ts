// The MCP Inspector that `npm run clients` has installed, run by a command as it was copied. Its person signs in with the browser.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modules } from "../../clients/commands.ts";
import { addressIn } from "../../clients/mcp/client.ts";
import type { Member } from "../stage.ts";
import { signIn } from "../visitor.ts";

const program = join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");

export const isInspectorThere = () => existsSync(program);

/**
 * @param command `npx @modelcontextprotocol/inspector ...`, of which the installed program takes the rest
 * @returns what it printed, once it has ended
 * @throws Error if it fails
 */
export async function inspectorPrints({ context, person }: Member, command: string): Promise<string> {
  const [, , ...args] = command.split(" ");
  const home = mkdtempSync(join(tmpdir(), "archway-inspector-"));
  // No keychain is asked for: a machine without a desktop has none.
  const env = { PATH: process.env.PATH, HOME: home, MCP_INSPECTOR_SECRET_STORE: "file", MCP_AUTO_OPEN_ENABLED: "true" };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const asked = new Promise<string>((found) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        printed += chunk;
        const address = addressIn(printed);
        if (address !== undefined && /\s$/.test(printed)) found(address);
      });
  });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const page = await context.newPage();
  try {
    const address = await Promise.race([asked, ended]);
    if (typeof address !== "string") throw new Error(`the Inspector asks nobody to sign in: ${printed}`);
    await page.goto(address);
    await page.getByRole("button", { name: "Allow, and sign in" }).click();
    await signIn(page, person, /\/oauth\/callback/);
    const code = await Promise.race([ended, page.waitForTimeout(60_000)]);
    if (code !== 0) throw new Error(`the Inspector ended with ${code}: ${printed}`);
    return printed;
  } finally {
    child.kill();
    await page.close();
  }
}
