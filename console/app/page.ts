// What a page may know of who reads it, and the filters in its address.
import { createContext, useContext } from "react";
import { useSearchParams } from "wouter";
import type { Answer } from "./api.ts";

export type Me = Answer<"GET /v1/me">;
export type Workspace = Answer<"GET /v1/tenants/my">;

/** The signed-in person and the workspace of their token. */
export type Visitor = { me: Me; workspace: Workspace | undefined };

export const VisitorContext = createContext<Visitor | undefined>(undefined);

export function useVisitor(): Visitor {
  const visitor = useContext(VisitorContext);
  if (!visitor) throw new Error("no page is shown before it is known who reads it");
  return visitor;
}

/** The workspace; pages of a workspace are not shown without one. */
export function useWorkspace(): Workspace {
  const { workspace } = useVisitor();
  if (!workspace) throw new Error("this page belongs to a workspace");
  return workspace;
}

export function useIsOwner(): boolean {
  return useVisitor().me.tenant_role === "owner";
}

/** Filters live in the address, so that a link shows what its sender sees. */
export function useFilters<Name extends string>(defaults: Record<Name, string>) {
  const [search, setSearch] = useSearchParams();
  const filters = Object.fromEntries(
    Object.entries<string>(defaults).map(([name, value]) => [name, search.get(name) ?? value]),
  ) as Record<Name, string>;
  const set = (change: Partial<Record<Name, string>>) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      for (const [name, value] of Object.entries<string | undefined>(change)) {
        if (value === undefined || value === defaults[name as Name]) next.delete(name);
        else next.set(name, value);
      }
      return next;
    });
  return [filters, set] as const;
}
