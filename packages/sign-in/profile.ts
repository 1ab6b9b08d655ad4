// A profile: one sign-in at one platform, in a folder of its own. Its description holds no secret.
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { Failure } from "../command-line/failure.ts";
import { homeFolder, profileName } from "../command-line/home.ts";
import type { Machine } from "../command-line/machine/machine.ts";
import { removePrivate, writePrivate } from "../command-line/machine/private-file.ts";
import { readBounded } from "./access-cache.ts";
import { discoverySchema, requireOwnHosts } from "./platform/discovery.ts";
import { safeUrl } from "./platform/http.ts";

const schema = z.object({
  url: z.string(),
  discovery: discoverySchema,
  /** The store of the refresh token. */
  store: z.enum(["keychain", "file"]),
  email: z.optional(z.string()),
  /** The workspace that the profile's tokens name; missing until a token named one. */
  tenant_id: z.optional(z.string()),
});

/** The largest description that a sign-in writes. */
const probeBytes = 16_384;

export type Description = z.output<typeof schema>;

export class Profile {
  readonly name: string;
  readonly folder: string;

  /** @throws Failure usage for a name that is none. */
  constructor(machine: Machine, name: string = machine.env.ARCHWAY_PROFILE || "default") {
    if (!profileName.test(name)) throw new Failure("usage", "a profile's name is 1 to 64 letters, digits, - and _");
    this.name = name;
    this.folder = join(homeFolder(machine), name);
  }

  file(name: "profile.json" | "refresh" | "lock" | "sign-in"): string {
    return join(this.folder, name);
  }

  /** The description; undefined before the first sign-in, and if the file is damaged or names foreign hosts: a sign-in writes it again. */
  read(): Description | undefined {
    try {
      const description = schema.parse(JSON.parse(readBounded(this.file("profile.json"))));
      requireOwnHosts(description.url, description.discovery);
      return description;
    } catch {
      return undefined;
    }
  }

  /** The address of the platform that one signed in at last, or wanted to; undefined if none is known. */
  lastUrl(): string | undefined {
    try {
      return this.read()?.url ?? (safeUrl(readBounded(this.#addressFile).trim()) || undefined);
    } catch {
      return undefined;
    }
  }

  /** Keeps the address beside the profile's folder, which a logout removes: settings of clients still need the platform then. */
  rememberUrl(url: string): void {
    try {
      writePrivate(this.#addressFile, `${url}\n`);
    } catch {
      // The address could not be kept: the next command asks for it again.
    }
  }

  get #addressFile(): string {
    return `${this.folder}.url`;
  }

  /** @throws Failure. */
  write(description: Description): void {
    writePrivate(this.file("profile.json"), `${JSON.stringify(description, null, 2)}\n`);
  }

  /** Tries the folder before a person is asked to sign in, with as many bytes as a sign-in writes: an empty file can be made on a full disk, too. @throws Failure. */
  checkWritable(): void {
    const file = join(this.folder, `.${process.pid}.probe`);
    writePrivate(file, " ".repeat(probeBytes));
    removePrivate(file);
  }

  /** The whole folder, with what killed processes have left. */
  remove(): void {
    // The removal is repeated, because another process may create a file in the folder meanwhile.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}
