// A JSON value as the table keeps it: as text, since the table takes 32 levels at the most (docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
import * as z from "zod";

export const storedJson = z.string().transform((text) => JSON.parse(text) as Record<string, unknown>);
