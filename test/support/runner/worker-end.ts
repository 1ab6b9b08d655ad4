// A worker ends with the run, whatever its tests have left open.
import { closeAll } from "./run-end.ts";

process.once("disconnect", () => void closeAll().finally(() => process.exit()));
