// Other functions ask the function `tenant-keys` for these actions.
import * as z from "zod";

const tenant = z.object({ tenant_id: z.string() });

export const tenantKeysActions = {
  /** Makes the key of a tenant that lacks one. */
  set_up: { input: tenant, result: z.object({}) },
  /** Removes the keys of a deleted tenant. `removed` says how many, by the kind of resource. */
  remove: { input: tenant, result: z.object({ removed: z.record(z.string(), z.int()) }) },
  /** The value of a skill's secret under the tenant's key. The function that runs skills alone can open it. */
  seal_secret: {
    input: z.object({ tenant_id: z.string(), name: z.string(), value: z.string() }),
    result: z.object({ sealed: z.string() }),
  },
};
