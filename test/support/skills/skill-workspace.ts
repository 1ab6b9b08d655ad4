// A workspace of a local stack with an owner and a developer, and its skills as the skills client asks for them.
import { skillsToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { instructions, uploadOf } from "./skill-files.ts";

type Asked = { body?: unknown; headers?: Record<string, string> };

export type SkillWorkspace = Awaited<ReturnType<typeof skillWorkspace>>;

/** @param slug also a part of the people's addresses */
export async function skillWorkspace(stack: Stack, slug: string) {
  const [owner, developer] = await Promise.all([
    signUp(stack, `owner@${slug}.example`),
    signUp(stack, `developer@${slug}.example`),
  ]);
  const { tenant_id } = await openWorkspace(stack, owner, slug);
  await addMember(stack, tenant_id, developer);

  async function call(person: Person, method: string, path: string, { body, headers = {} }: Asked = {}) {
    const authorization = `Bearer ${await skillsToken(stack, person)}`;
    const response = await fetch(stack.at("api") + path, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  }

  async function upload(name: string, script: string, { path = "run.sh", head = "", files = {} } = {}) {
    const metadata = `metadata:\n  archway-run: ${path}\n${head}`.trimEnd();
    const folder = { "SKILL.md": instructions(name, metadata), [path]: script, ...files };
    const uploaded = await call(developer, "POST", "/v1/skills", { body: uploadOf(folder) });
    if (uploaded.status !== 200) throw new Error(JSON.stringify(uploaded.body));
    const { version, digest } = uploaded.body as { version: number; digest: string };
    return { version, digest };
  }

  /** Activates a version with the environment as it is now. */
  async function activate(name: string, { version, digest }: { version: number; digest: string }) {
    const { env_digest } = (await call(owner, "GET", `/v1/skills/${name}/env`)).body;
    return call(owner, "POST", `/v1/skills/${name}/activate`, { body: { version, digest, env_digest } });
  }

  async function start(name: string, body: object = {}, person = developer) {
    return call(person, "POST", `/v1/skills/${name}/runs`, { body });
  }

  /** The run once the queue is empty. */
  async function ended(name: string, id: string, person = developer) {
    await stack.queuePoller.idle();
    return (await call(person, "GET", `/v1/skills/${name}/runs/${id}`)).body;
  }

  return {
    tenantId: tenant_id,
    owner,
    developer,
    call,
    upload,
    activate,
    start,
    ended,
    /** Uploads and activates a script, runs it, and waits for its end. */
    async ran(name: string, script: string, body: object = {}, how: Parameters<typeof upload>[2] = {}) {
      await activate(name, await upload(name, script, how));
      const { body: run } = await start(name, body);
      return ended(name, run.run_id);
    },
  };
}
