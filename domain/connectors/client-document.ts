// Metadata documents of MCP clients (draft-ietf-oauth-client-id-metadata-document): a client's id is the address of its document.
import * as z from "zod";
import { Cache } from "../kernel/cache.ts";
import { dayMs } from "../kernel/period.ts";
import { upstreamUrlProblem } from "../upstream/upstream-url.ts";
import { displayedName } from "./displayed-name.ts";
import { PageRefusal } from "./oauth-error.ts";
import { redirectProblem } from "./redirect-address.ts";
import { vendors } from "./vendors.ts";

export type ClientDocument = { name: string | undefined; redirectUris: readonly string[] };

export interface ClientDocuments {
  /** @throws PageRefusal with a sentence for the person who signs in */
  read(address: string): Promise<ClientDocument>;
}

/** A document as it was fetched, and for how long its server lets it be kept. */
export type FetchedDocument = { text: string; freshSeconds: number } | { failure: string };

export type DocumentFetch = (address: string) => Promise<FetchedDocument>;

const longestAddress = 1_024;
const mostRedirects = 32;
const keptDocuments = 500;
/** Longer than this no document is kept, whatever its server says. */
const keptMs = dayMs;

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(mostRedirects),
  grant_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  client_secret: z.undefined("must not be there").optional(),
});

/** Documents by way of the function that may write nothing, remembered as long as their servers say and a day at the most. */
export function clientDocuments(fetchDocument: DocumentFetch, clock: () => number): ClientDocuments {
  const kept = new Cache<{ document: ClientDocument; until: number }>({ size: keptDocuments, ttlMs: keptMs, clock });
  return {
    async read(address) {
      const problem = addressProblem(address);
      if (problem !== undefined) throw new PageRefusal(`The client's id ${problem}`);
      const known = kept.get(address);
      if (known && clock() < known.until) return known.document;
      const fetched = await fetchDocument(address);
      if ("failure" in fetched) {
        const copy = vendors.find(({ clientId }) => clientId === address);
        if (copy) return copy;
        throw new PageRefusal(`The client's metadata document cannot be read: ${fetched.failure}`);
      }
      const document = judgedDocument(address, fetched.text);
      kept.set(address, { document, until: clock() + fetched.freshSeconds * 1_000 });
      return document;
    },
  };
}

/** The one spelling of an address, so that no two ids are of one document. */
function addressProblem(address: string): string | undefined {
  if (address.length > longestAddress) return `must have at most ${longestAddress} characters`;
  const problem = upstreamUrlProblem(address);
  if (problem !== undefined) return problem;
  const url = new URL(address);
  if (url.port !== "") return "must have no port";
  if (url.pathname === "/" || url.href !== address) return "must have a path, without segments of dots";
  return undefined;
}

/** @throws PageRefusal with a sentence for the person who signs in */
export function judgedDocument(address: string, text: string): ClientDocument {
  const refuse = (words: string): never => {
    throw new PageRefusal(`The client's metadata document ${words}`);
  };
  const parsed = documentSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`is not valid: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`);
  }
  const { client_id, client_name, redirect_uris, grant_types, ...methods } = parsed.data;
  if (client_id !== address) refuse("names another client than its own address");
  if (grant_types && !grant_types.includes("authorization_code")) refuse("does not ask for authorization codes");
  const { token_endpoint_auth_method: method = "none", token_endpoint_auth_methods_supported: listed = [] } = methods;
  if (method !== "none" && !listed.includes("none")) refuse("wants its client to authenticate, which is not supported");
  const redirectUris = redirect_uris.filter((redirect) => redirectProblem(redirect) === undefined);
  if (redirectUris.length === 0) refuse("names no address to which a person may be sent back");
  return { name: displayedName(client_name), redirectUris };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
